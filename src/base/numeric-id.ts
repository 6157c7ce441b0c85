import { digitsOf } from "./json-text.js";

/** Whether a value is a number that is no id: of those beyond 2^53 several may have become the same double. */
export function isNoId(id: unknown): id is number {
  return typeof id === "number" && !Number.isSafeInteger(id) && Number.isFinite(id);
}

/** Why such a number is no id. */
export function numericIdFault(id: number): string {
  return `expected text or a whole number below 2^53, got ${id}; send it as text`;
}

/** An id as JSON text has it, where a number may be of any size: one that the library does not take becomes its digits. */
export function idOfJson<T>(id: T): T | string {
  return isNoId(id) ? digitsOf(id) : id;
}

/** Members of events and records that hold an id. */
const ID_MEMBERS = [
  ...["id", "userId", "user_id", "anonymousId", "anonymous_id", "companyId", "company_id", "externalId", "external_id", "email", "from", "to"],
] as const;
type IdMembers = { readonly [Name in (typeof ID_MEMBERS)[number]]?: unknown };

/** An event or record as JSON text has it, with its ids as `idOfJson` has them. */
export function withIdsOfJson<T>(input: T): T {
  if (typeof input !== "object" || input === null) return input;
  // Named one by one each member is found at once.
  const { id, userId, user_id, anonymousId, anonymous_id, companyId, company_id, externalId, external_id, email, from, to }: IdMembers = input;
  const hasNoId =
    isNoId(userId) || isNoId(anonymousId) || isNoId(user_id) || isNoId(anonymous_id) || isNoId(id) || isNoId(companyId) || isNoId(company_id) ||
    isNoId(externalId) || isNoId(external_id) || isNoId(email) || isNoId(from) || isNoId(to);
  if (!hasNoId) return input;
  return { ...input, ...Object.fromEntries(numbersIn(input).map(([name, number]) => [name, digitsOf(number)])) };
}

/** What the library says of the first number that is no id; null: there is none. @param numeric members that take whole numbers */
export function faultOfNumericIds(input: object, numeric: readonly string[]): string | null {
  const [first] = numbersIn(input);
  if (first === undefined) return null;
  const [name, number] = [first[0].replace("_id", "Id"), first[1]];
  return `${name}: ${numeric.includes(name) ? numericIdFault(number) : `expected text, got ${number}`}`;
}

function numbersIn(input: IdMembers): [name: string, number: number][] {
  return ID_MEMBERS.flatMap((name) => (isNoId(input[name]) ? [[name, input[name]]] : []));
}
