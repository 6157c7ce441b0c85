/** Digits of the smallest integer that a double does not hold. */
export const LONG_DIGITS = 16;
/** An integer with more characters is never printed with the same digits: doubles from 10^21 on have an exponent. */
const PRINTED_CHARS_MAX = 22;

/**
 * JSON text as a value. An integer that a double would print with other digits (9007199254740993, 10000000000000000000000) becomes the text of its
 * digits. Every reader of JSON text from outside goes through here. Cost: time linear in the text.
 * @param hasLongNumber whether a number of 16 digits or more may stand in it, where the caller knows
 * @throws SyntaxError, as JSON.parse throws it for the same text
 */
export function parseJsonText(text: string, hasLongNumber: boolean = mayHaveLongNumber(text)): unknown {
  const kept = hasLongNumber ? withLongIntegersAsText(text) : text;
  if (kept === text) return JSON.parse(text);
  try {
    return JSON.parse(kept);
  } catch {
    // The position in the error is one of the text as it came.
    return JSON.parse(text);
  }
}

/** The decimal digits of a number: JSON text without an exponent where it is an integer. */
export function digitsOf(number: number): string {
  const text = JSON.stringify(number);
  return Number.isInteger(number) && text.includes("e") ? String(wholeOf(text)) : text;
}

/** The integer that a number with an exponent is printed for: its digits followed by zeros. */
function wholeOf(text: string): bigint {
  const [mantissa = "", exponent = ""] = text.split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  return BigInt(whole + fraction) * 10n ** BigInt(Number(exponent) - fraction.length);
}

/** False only where no number has so many digits. One character of 16 is looked at. */
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

/** The text with quotes around each such integer that stands where JSON takes one: what is malformed stays so. */
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

/** Whether a number may begin at a digit, by the character before it or before its sign. */
function mayBegin(text: string, start: number): boolean {
  const before = start > 0 && text.charCodeAt(start - 1) === MINUS ? start - 2 : start - 1;
  return before < 0 || "[:, \n\r\t".includes(text.charAt(before));
}

/** Whether an integer ends there, and is no name of a member, which malformed text may have. */
function mayEnd(text: string, end: number): boolean {
  if (end === text.length) return true;
  if (!",]} \n\r\t".includes(text.charAt(end))) return false;
  let next = end;
  while (" \n\r\t".includes(text.charAt(next)) && next < text.length) next += 1;
  return text.charCodeAt(next) !== COLON;
}
