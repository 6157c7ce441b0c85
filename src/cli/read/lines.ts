/** One line of a text, without its line feed. */
export interface Line {
  /** From 1. */
  readonly number: number;
  readonly text: string;
  /** Why the text cannot be trusted (not UTF-8, too long); null for a good line. */
  readonly fault: string | null;
}

/** Bytes of one line: longer ones are named and skipped, so that no file can fill the memory. */
export const LINE_BYTES_MAX = 1024 * 1024;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const NEWLINE = 10;
const TOO_LONG = `longer than ${LINE_BYTES_MAX.toLocaleString("en-US")} bytes`;

/** Cuts a byte stream into lines, a block of lines per chunk. A byte order mark before line 1 is dropped; `\r` stays. */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<readonly Line[]> {
  let number = 1;
  let carried: Uint8Array[] = [];
  let carriedBytes = 0;
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf(NEWLINE);
    if (end === -1) {
      carriedBytes += chunk.length;
      // Of a line that is too long anyway only the length is kept.
      carried = carriedBytes > LINE_BYTES_MAX ? [] : [...carried, chunk];
      continue;
    }
    const lines: Line[] = [];
    if (carriedBytes > LINE_BYTES_MAX) {
      const first = chunk.indexOf(NEWLINE);
      lines.push({ number, text: "", fault: TOO_LONG });
      number += 1;
      if (end > first) number = splitBlock(chunk.subarray(first + 1, end), number, lines);
    } else {
      number = splitBlock(joined([...carried, chunk.subarray(0, end)]), number, lines);
    }
    carried = [chunk.subarray(end + 1)];
    carriedBytes = chunk.length - end - 1;
    yield lines;
  }
  if (carriedBytes === 0) return;
  const lines: Line[] = [];
  if (carriedBytes > LINE_BYTES_MAX) lines.push({ number, text: "", fault: TOO_LONG });
  else splitBlock(joined(carried), number, lines);
  yield lines;
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return parts.length === 1 ? (parts[0] ?? new Uint8Array()) : Buffer.concat(parts);
}

/** Appends the lines of a block and returns the number of the line after it. */
function splitBlock(block: Uint8Array, firstNumber: number, lines: Line[]): number {
  let number = firstNumber;
  const text = decoded(block);
  if (text === null) {
    for (let start = 0; start <= block.length; number += 1) {
      const newline = block.indexOf(NEWLINE, start);
      const end = newline === -1 ? block.length : newline;
      lines.push(lineOf(number, decoded(block.subarray(start, end))));
      start = end + 1;
    }
    return number;
  }
  for (const part of text.split("\n")) {
    lines.push(lineOf(number, part));
    number += 1;
  }
  return number;
}

function lineOf(number: number, text: string | null): Line {
  if (text === null) return { number, text: "", fault: "not valid UTF-8" };
  if (text.length > LINE_BYTES_MAX) return { number, text: "", fault: TOO_LONG };
  return { number, text: number === 1 && text.startsWith("\ufeff") ? text.slice(1) : text, fault: null };
}

function decoded(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

/** The line's text without a trailing carriage return. */
export function withoutReturn(text: string): string {
  return text.endsWith("\r") ? text.slice(0, -1) : text;
}
