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
