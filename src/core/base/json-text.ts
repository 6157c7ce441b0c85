/** Digits of the smallest integer that a double cannot represent. */
export const LONG_DIGITS = 16;
/** Longer integers are never printed with the same digits: doubles print with an exponent from 10^21 on. */
const PRINTED_CHARS_MAX = 22;

/**
 * Parses JSON text. An integer that a double would print with other digits (9007199254740993, 10000000000000000000000) becomes the text of its
 * digits. All JSON text from outside must be parsed by this function. Cost: linear in the text.
 * @param hasLongNumber whether the text may contain a number of 16 digits or more, if the caller has checked
 * @throws SyntaxError, as JSON.parse throws it for the same text
 */
export function parseJsonText(text: string, hasLongNumber: boolean = mayHaveLongNumber(text)): unknown {
  const kept = hasLongNumber ? withLongIntegersAsText(text) : text;
  if (kept === text) return JSON.parse(text);
  try {
    return JSON.parse(kept);
  } catch {
    // The position in the error must refer to the original text.
    return JSON.parse(text);
  }
}

/** The decimal digits of a number: its JSON text, without an exponent if it is an integer. */
export function digitsOf(number: number): string {
  const text = JSON.stringify(number);
  return Number.isInteger(number) && text.includes("e") ? String(wholeOf(text)) : text;
}

/** The integer that a number printed with an exponent stands for: its digits followed by zeros. */
function wholeOf(text: string): bigint {
  const [mantissa = "", exponent = ""] = text.split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  return BigInt(whole + fraction) * 10n ** BigInt(Number(exponent) - fraction.length);
}

/** False only if no number has 16 digits or more. Reads one character in 16. */
function mayHaveLongNumber(text: string): boolean {
  for (let at = LONG_DIGITS - 1; at < text.length; at += LONG_DIGITS) {
    if (!isDigit(text.charCodeAt(at)) || !(isDigit(text.charCodeAt(at - 8)) || isDigit(text.charCodeAt(at + 8)))) continue;
    const [start, end] = runAround(text, at);
    if (end - start >= LONG_DIGITS && mayBegin(text, start)) return true;
    at = end;
  }
  return false;
}

function runAround(text: string, at: number): [start: number, end: number] {
  let start = at;
  while (start > 0 && isDigit(text.charCodeAt(start - 1))) start -= 1;
  return [start, endOfRun(text, at)];
}

function endOfRun(text: string, at: number): number {
  let end = at;
  while (isDigit(text.charCodeAt(end))) end += 1;
  return end;
}

/** Quotes each such integer that stands where JSON allows a number, so that malformed text stays malformed. */
function withLongIntegersAsText(text: string): string {
  let kept = "";
  let from = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) isInString = !isInString;
    else if (isInString) at += code === BACKSLASH ? 1 : 0;
    else if (isDigit(code)) {
      const end = endOfRun(text, at);
      if (end - at >= LONG_DIGITS && code !== ZERO && mayBegin(text, at) && mayEnd(text, end)) {
        const start = text.charCodeAt(at - 1) === MINUS ? at - 1 : at;
        const digits = text.slice(start, end);
        if (!isPrintedAlike(digits)) {
          kept += `${text.slice(from, start)}"${digits}"`;
          from = end;
        }
      }
      at = end - 1;
    }
  }
  return kept + text.slice(from);
}

function isPrintedAlike(digits: string): boolean {
  return digits.length <= PRINTED_CHARS_MAX && String(Number(digits)) === digits;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const ZERO = 0x30;
const COLON = 0x3a;

function isDigit(code: number): boolean {
  return code >= ZERO && code <= 0x39;
}

/** Whether a number may begin at this digit, judged by the character before it or before its sign. */
function mayBegin(text: string, start: number): boolean {
  const before = start > 0 && text.charCodeAt(start - 1) === MINUS ? start - 2 : start - 1;
  return before < 0 || "[:, \n\r\t".includes(text.charAt(before));
}

/** Whether an integer may end here; false for a member name, which malformed text may have. */
function mayEnd(text: string, end: number): boolean {
  if (end === text.length) return true;
  if (!",]} \n\r\t".includes(text.charAt(end))) return false;
  let next = end;
  while (" \n\r\t".includes(text.charAt(next)) && next < text.length) next += 1;
  return text.charCodeAt(next) !== COLON;
}

/** The same text, flattened: V8 keeps a concatenation as a tree, about ten times as large, until a character is read. */
export function flatText(text: string): string {
  text.charCodeAt(0);
  return text;
}

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
