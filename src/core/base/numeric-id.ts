import { digitsOf } from "./json-text.js";

/** Whether a value is a number that cannot be an id: a fraction, or an integer beyond 2^53, where several become the same double. */
export function isUnusableId(id: unknown): id is number {
  return Number.isFinite(id) && !Number.isSafeInteger(id);
}

/** Why the value of an id member is no usable id; null if it is one, or if the member holds no id. */
export function numericIdFault(name: string, value: unknown): string | null {
  return isUnusableId(value) && ID_MEMBER.test(name) ? `expected text or an integer below 2^53, got ${value}; send the id as text` : null;
}

/** An id from JSON text, where numbers may be of any size: a number that cannot be an id becomes its digits. */
export function idOfJson<T>(id: T): T | string {
  return isUnusableId(id) ? digitsOf(id) : id;
}

/** Members of events and records that hold an id. */
const ID_MEMBER = /^(id|email|from|to|(user|anonymous|company|external)(_i|I)d)$/;
type IdName = "id" | "email" | "from" | "to" | `${"user" | "anonymous" | "company" | "external"}${"Id" | "_id"}`;

/** An event or record from JSON text, with `idOfJson` applied to its ids. */
export function withIdsOfJson<T>(input: T): T {
  if (typeof input !== "object" || input === null) return input;
  // Destructuring by name finds each member fastest.
  const { id, userId, user_id, anonymousId, anonymous_id, companyId, company_id, externalId, external_id, email, from, to }: { readonly [Name in IdName]?: unknown } = input;
  const hasNoId =
    isUnusableId(userId) || isUnusableId(anonymousId) || isUnusableId(user_id) || isUnusableId(anonymous_id) || isUnusableId(id) || isUnusableId(companyId) || isUnusableId(company_id) ||
    isUnusableId(externalId) || isUnusableId(external_id) || isUnusableId(email) || isUnusableId(from) || isUnusableId(to);
  if (!hasNoId) return input;
  const ids = Object.entries(input).filter(([name]) => ID_MEMBER.test(name));
  return { ...input, ...Object.fromEntries(ids.map(([name, value]) => [name, idOfJson<unknown>(value)])) };
}
