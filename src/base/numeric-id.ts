import { digitsOf } from "./json-text.js";

/** Whether a value is a number that is no id: of those beyond 2^53 several may have become the same double. */
export function isNoId(id: unknown): id is number {
  return Number.isFinite(id) && !Number.isSafeInteger(id);
}

/** Why a value of a member is such a number; null where it is none, or the member no id. */
export function numericIdFault(name: string, value: unknown): string | null {
  return isNoId(value) && ID_MEMBER.test(name) ? `expected text, got ${value}, no integer below 2^53; send it as text` : null;
}

/** An id as JSON text has it, where a number may be of any size: one that the library does not take becomes its digits. */
export function idOfJson<T>(id: T): T | string {
  return isNoId(id) ? digitsOf(id) : id;
}

/** Names of members of events and records that hold an id. */
const ID_MEMBER = /^(id|email|from|to|(user|anonymous|company|external)(_i|I)d)$/;
type IdName = "id" | "email" | "from" | "to" | `${"user" | "anonymous" | "company" | "external"}${"Id" | "_id"}`;

/** An event or record as JSON text has it, with its ids as `idOfJson` has them. */
export function withIdsOfJson<T>(input: T): T {
  if (typeof input !== "object" || input === null) return input;
  // Named one by one each member is found at once.
  const { id, userId, user_id, anonymousId, anonymous_id, companyId, company_id, externalId, external_id, email, from, to }: { readonly [Name in IdName]?: unknown } = input;
  const hasNoId =
    isNoId(userId) || isNoId(anonymousId) || isNoId(user_id) || isNoId(anonymous_id) || isNoId(id) || isNoId(companyId) || isNoId(company_id) ||
    isNoId(externalId) || isNoId(external_id) || isNoId(email) || isNoId(from) || isNoId(to);
  if (!hasNoId) return input;
  const ids = Object.entries(input).filter(([name]) => ID_MEMBER.test(name));
  return { ...input, ...Object.fromEntries(ids.map(([name, value]) => [name, idOfJson<unknown>(value)])) };
}
