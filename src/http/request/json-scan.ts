import { DaybookError } from "../../core/base/errors.js";
import { LONG_DIGITS } from "../../core/base/json-text.js";
import { LIMITS } from "../../core/base/limits.js";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";

/** Consecutive items of a list: the byte range of their text, and their number. */
export interface Items {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** Properties of JSON bytes, found before they are parsed. */
export interface JsonScan {
  /** Whether an integer has at least `LONG_DIGITS` digits. */
  readonly hasLongNumber: boolean;
  /** Memory that the parsed values take, as the byte length of ordinary JSON that takes as much. */
  readonly weight: number;
  /** For each long list at the top or in a top-level object: its items in chunks. */
  readonly longLists: readonly (readonly Items[])[];
  /** Bytes outside the items of long lists. */
  readonly byteLengthBeside: number;
  /** False if the text ends within a list or an object. */
  readonly isWhole: boolean;
}

/** Start of the digit count after a dot: a fraction never counts as long. A small integer, because the loop is slower with a double. */
const FRACTION = -(2 ** 30);

const [QUOTE, COMMA, DOT, BACKSLASH] = [0x22, 0x2c, 0x2e, 0x5c];
const BLANKS = [0x20, 0x09, 0x0a, 0x0d];
const [OPENING_BRACKET, CLOSING_BRACKET, OPENING_BRACE, CLOSING_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Scans a body for nesting, long integers and items, as far as it has arrived. Brackets, commas and digits are ASCII, so UTF-8 bytes need no
 * decoding; the parser checks the syntax. Cost: about a nanosecond per byte.
 */
export class JsonScanner {
  #at = 0;
  /** Whether `#at` is within a string. */
  #isInString = false;
  #depth = 0;
  #digitCount = 0;
  #hasLongNumber = false;
  #valueCount = 0;
  readonly #lists: Lists;

  /**
   * @param itemCountMax limit of all lists at the top or in a top-level object together
   * @param weightMax limit of the memory that the parsed values take, as `JsonScan.weight`
   * @param isOneValue false: the body has one value per line, and each is an item
   */
  constructor(
    itemCountMax: number,
    readonly weightMax: number,
    readonly isOneValue = true,
  ) {
    this.#lists = new Lists(itemCountMax);
  }

  /**
   * Scans the bytes that have arrived, and refuses a body as soon as it exceeds a limit. Earlier bytes are not scanned again.
   * @throws malformed_json (nested too deep), body_too_large (too many items, an item too long, too many values, or too much beside the items)
   */
  scan(arrived: Uint8Array): void {
    this.#scan(arrived);
    if (!this.isOneValue) return;
    // A list that is open may still become long.
    const byteLengthInside = this.#lists.longByteLength + this.#lists.openByteLength(arrived.length);
    const byteLengthBeside = arrived.length - byteLengthInside;
    if (byteLengthBeside > SERVER_LIMITS.bodyItemBytes) throw tooMuchBeside(byteLengthBeside);
  }

  /** Scans the rest of a body. @throws as `scan`, but for bytes beside the items, which the parser checks */
  finish(bytes: Uint8Array): JsonScan {
    this.#scan(bytes);
    const { long, longByteLength } = this.#lists;
    const weight = Math.max(bytes.length, SERVER_LIMITS.jsonValueBytes * this.#valueCount);
    const byteLengthBeside = bytes.length - longByteLength;
    return { hasLongNumber: this.#hasLongNumber, weight, longLists: long, byteLengthBeside, isWhole: this.#depth === 0 };
  }

  #scan(bytes: Uint8Array): void {
    const end = bytes.length;
    const lists = this.#lists;
    lists.bytes = bytes;
    let [at, isInString, depth, digitCount, valueCount] = [this.#at, this.#isInString, this.#depth, this.#digitCount, this.#valueCount];
    for (; at < end; at += 1) {
      const byte = bytes[at] as number;
      if (isInString || byte === QUOTE) {
        at = endOfString(bytes, isInString ? at : at + 1, end);
        isInString = at >= end;
        if (isInString) break;
      } else if (byte >= 0x30 && byte <= 0x39) {
        digitCount += 1;
        if (digitCount === LONG_DIGITS) this.#hasLongNumber = true;
      } else {
        digitCount = byte === DOT ? FRACTION : 0;
        if (byte === COMMA) {
          valueCount += 1;
          if (depth === lists.depth) lists.endItem(at, valueCount);
        } else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) {
          depth += 1;
          valueCount += 1;
          if (depth > SERVER_LIMITS.jsonDepth)
            throw new DaybookError("malformed_json", `expected at most ${SERVER_LIMITS.jsonDepth} levels of nesting`);
          if (depth === 1 || (depth === 2 && byte === OPENING_BRACKET)) lists.open(at, depth, byte === OPENING_BRACKET, valueCount);
        } else if (byte === CLOSING_BRACE || byte === CLOSING_BRACKET) {
          if (depth === lists.depth) lists.close(at, valueCount);
          depth -= 1;
        }
      }
    }
    [this.#at, this.#isInString, this.#depth, this.#digitCount, this.#valueCount] = [at, isInString, depth, digitCount, valueCount];
    if (SERVER_LIMITS.jsonValueBytes * valueCount > this.weightMax) throw tooManyValues(this.weightMax);
  }
}

/** Scans a whole body. @throws as `JsonScanner.finish` */
export function scanJson(bytes: Uint8Array, itemCountMax: number): JsonScan {
  return new JsonScanner(itemCountMax, Infinity).finish(bytes);
}

/** Tracks the lists at the top or in a top-level object. */
class Lists {
  /** Nesting depth of the items of the open list; 0 if no list is open. */
  depth = 0;
  #isInObject = false;
  #itemCount = 0;
  #itemFrom = 0;
  /** Values of the body before the open item. */
  #itemValueFrom = 0;
  #from = 0;
  #openedAt = 0;
  #count = 0;
  #items: Items[] = [];
  readonly long: Items[][] = [];
  /** Bytes of the items of `long`. */
  longByteLength = 0;
  /** The body so far. */
  bytes: Uint8Array = new Uint8Array(0);

  constructor(readonly itemCountMax: number) {}

  /** @param valueCount values of the body so far */
  open(at: number, depth: number, isList: boolean, valueCount: number): void {
    if (depth === 1) this.#isInObject = !isList;
    if (!isList || this.depth !== 0 || (depth === 2 && !this.#isInObject)) return;
    this.depth = depth;
    this.#items = [];
    this.#openedAt = at + 1;
    this.#itemValueFrom = valueCount;
    this.#startChunk(at + 1);
  }

  endItem(at: number, valueCount: number): void {
    this.#countItem(at, valueCount);
    if (at - this.#from < LIMITS.parsedBytesPerTurn) this.#itemFrom = at + 1;
    else {
      this.#items.push({ from: this.#from, to: at, count: this.#count });
      this.#startChunk(at + 1);
    }
  }

  /** Bytes of the open list, 0 if none is open. @param end of the bytes so far */
  openByteLength(end: number): number {
    return this.depth === 0 ? 0 : end - this.#openedAt;
  }

  close(at: number, valueCount: number): void {
    this.depth = 0;
    if (this.#isEmpty(at)) return;
    this.#countItem(at, valueCount);
    const [first] = this.#items;
    if (first === undefined) return;
    this.#items.push({ from: this.#from, to: at, count: this.#count });
    this.long.push(this.#items);
    this.longByteLength += at - first.from;
  }

  #startChunk(at: number): void {
    this.#from = this.#itemFrom = at;
    this.#count = 0;
  }

  /** Whether the list that ends at `end` has no items. */
  #isEmpty(end: number): boolean {
    if (this.#count > 0 || this.#items.length > 0) return false;
    let at = this.#from;
    while (at < end && BLANKS.includes(this.bytes[at] as number)) at += 1;
    return at === end;
  }

  #countItem(at: number, valueCount: number): void {
    this.#count += 1;
    this.#itemCount += 1;
    if (this.#itemCount > this.itemCountMax) throw tooManyItems(this.itemCountMax);
    if (at - this.#itemFrom > SERVER_LIMITS.bodyItemBytes) throw tooLongItem();
    // An item is parsed in one piece.
    if (SERVER_LIMITS.jsonValueBytes * (valueCount - this.#itemValueFrom) > SERVER_LIMITS.bodyItemBytes) throw tooManyValues(SERVER_LIMITS.bodyItemBytes);
    this.#itemValueFrom = valueCount;
  }
}

export function tooManyItems(itemCountMax: number): DaybookError {
  return new DaybookError("body_too_large", `expected a body of at most ${itemCountMax} items, got more: split it into several requests`);
}

export function tooLongItem(): DaybookError {
  return new DaybookError("body_too_large", `expected items of at most ${SERVER_LIMITS.bodyItemBytes} bytes each, got a longer one`);
}

export function tooMuchBeside(byteLength: number): DaybookError {
  const expected = `expected at most ${SERVER_LIMITS.bodyItemBytes} bytes outside the items of long lists`;
  return new DaybookError("body_too_large", `${expected}, got ${byteLength}`);
}

function tooManyValues(weightMax: number): DaybookError {
  return new DaybookError(
    "body_too_large",
    `expected values that take no more memory than ${weightMax} bytes of JSON, got more: send fewer or shorter values in one request`,
  );
}

/** Index of the quote that closes a string; `end` or, past an escape, the byte after it, if the string goes on. */
function endOfString(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}
