import { DaybookError } from "../../core/base/errors.js";
import { grown } from "../../core/base/arrays.js";
import { runYielding, type Steps } from "../../core/base/yield.js";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import type { HeldMemory } from "../overload/admission.js";
import { bodyTooLarge } from "../wire/request-reply.js";

/* eslint-disable @typescript-eslint/no-non-null-assertion -- symbols are bounded by their tables */
/** Extra bits of a length, and the base that they are added to, by symbol from 257 on. */
const LENGTH_BITS = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const LENGTH_BASES = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258];
const DISTANCE_BITS = [0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13];
const END_OF_BLOCK = 256;
/** Order in which a block lists the lengths of the code length codes (RFC 1951, 3.2.7). */
const LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/** The bytes are not a complete deflate stream. */
export class DeflateError extends Error {}

/** The end offset of a deflate stream, and the byte length of its inflated data. */
export interface DeflateEnd {
  readonly end: number;
  readonly byteLength: number;
}

/** Compressed bytes that are read between two pauses: about a millisecond of work. */
const BYTES_PER_STEP = 64 * 1024;

/**
 * Finds the end of the deflate stream (RFC 1951) that begins at `start`, because no runtime reports it. Inflates nothing.
 * @param maxByteLength the search stops once the inflated length exceeds this; `end` is then where it stopped
 * @throws DeflateError
 */
export function* endOfDeflate(bytes: Uint8Array, start: number, maxByteLength: number): Steps<DeflateEnd> {
  const bits = new Bits(bytes, start);
  let byteLength = 0;
  let pauseAt = start + BYTES_PER_STEP;
  for (let isLast = false; !isLast && byteLength <= maxByteLength; ) {
    isLast = bits.take(1) === 1;
    const type = bits.take(2);
    if (type === 0) byteLength += bits.skipStored();
    else if (type === 3) throw new DeflateError("unknown block type");
    else {
      const tables = type === 1 ? FIXED : readTables(bits);
      const block: Block = { byteLength, hasEnded: false };
      while (!block.hasEnded && block.byteLength <= maxByteLength) {
        skipSymbols(bits, tables, block, maxByteLength, pauseAt);
        if (bits.at < pauseAt) continue;
        pauseAt = bits.at + BYTES_PER_STEP;
        yield;
      }
      byteLength = block.byteLength;
    }
  }
  return { end: bits.end, byteLength };
}

/** Bits that one lookup decodes; longer codes are decoded bit by bit. A full 15-bit table costs more than the input it decodes. */
const ROOT_BITS = 9;
const LONGEST_CODE = 15;

/** A canonical Huffman code. */
interface CodeTable {
  /** By the next `ROOT_BITS` bits: the symbol times 16 plus its code length; 0 if no short code matches. */
  readonly entries: Uint16Array;
  /** Number of codes of each length. */
  readonly counts: Uint16Array;
  /** Symbols in the order of their codes. */
  readonly symbols: Uint16Array;
}

type CodeTables = readonly [lengths: CodeTable, distances: CodeTable];

/** A compressed block that is being read. */
interface Block {
  /** Inflated length of the stream so far. */
  byteLength: number;
  hasEnded: boolean;
}

/** Reads on to the end of a block, or to `pauseAt`. */
function skipSymbols(bits: Bits, [lengths, distances]: CodeTables, block: Block, maxByteLength: number, pauseAt: number): void {
  let { byteLength } = block;
  while (byteLength <= maxByteLength && bits.at < pauseAt) {
    const symbol = bits.symbol(lengths);
    if (symbol < END_OF_BLOCK) byteLength += 1;
    else if (symbol === END_OF_BLOCK) {
      block.hasEnded = true;
      break;
    } else {
      if (symbol > 285) throw new DeflateError("invalid length symbol");
      byteLength += LENGTH_BASES[symbol - 257]! + bits.take(LENGTH_BITS[symbol - 257]!);
      const distance = bits.symbol(distances);
      if (distance > 29) throw new DeflateError("invalid distance symbol");
      bits.take(DISTANCE_BITS[distance]!);
    }
  }
  block.byteLength = byteLength;
}

function readTables(bits: Bits): CodeTables {
  const [lengthCount, distanceCount, orderCount] = [bits.take(5) + 257, bits.take(5) + 1, bits.take(4) + 4];
  const ofLengths = new Uint8Array(19);
  for (let at = 0; at < orderCount; at += 1) ofLengths[LENGTH_ORDER[at]!] = bits.take(3);
  const table = tableOf(ofLengths);
  const all = new Uint8Array(lengthCount + distanceCount);
  for (let at = 0; at < all.length; ) {
    const symbol = bits.symbol(table);
    if (symbol < 16) {
      all[at] = symbol;
      at += 1;
      continue;
    }
    const repeated = symbol === 16 ? 3 + bits.take(2) : symbol === 17 ? 3 + bits.take(3) : 11 + bits.take(7);
    if (at + repeated > all.length) throw new DeflateError("too many code lengths");
    all.fill(symbol === 16 ? (all[at - 1] ?? 0) : 0, at, at + repeated);
    at += repeated;
  }
  return [tableOf(all.subarray(0, lengthCount)), tableOf(all.subarray(lengthCount))];
}

/** Builds a canonical code from code lengths by symbol. Cost: a few steps per symbol plus `2 ** ROOT_BITS` entries. @throws DeflateError */
function tableOf(lengths: Uint8Array): CodeTable {
  const counts = new Uint16Array(LONGEST_CODE + 1);
  for (const length of lengths) if (length > 0) counts[length]! += 1;
  const [nextCode, nextPlace] = [new Uint16Array(LONGEST_CODE + 2), new Uint16Array(LONGEST_CODE + 2)];
  for (let length = 1, left = 1; length <= LONGEST_CODE; length += 1) {
    left = left * 2 - counts[length]!;
    if (left < 0) throw new DeflateError("oversubscribed code");
    nextCode[length + 1] = (nextCode[length]! + counts[length]!) << 1;
    nextPlace[length + 1] = nextPlace[length]! + counts[length]!;
  }
  const symbols = new Uint16Array(lengths.length);
  const entries = new Uint16Array(1 << ROOT_BITS);
  for (const [symbol, length] of lengths.entries()) {
    if (length === 0) continue;
    symbols[nextPlace[length]!++] = symbol;
    const code = nextCode[length]!++;
    if (length > ROOT_BITS) continue;
    let reversed = 0;
    for (let bit = 0; bit < length; bit += 1) reversed |= ((code >>> bit) & 1) << (length - 1 - bit);
    for (let at = reversed; at < entries.length; at += 1 << length) entries[at] = (symbol << 4) | length;
  }
  return { entries, counts, symbols };
}

/** The tables of blocks with fixed codes (RFC 1951, 3.2.6). */
const FIXED: CodeTables = [
  tableOf(Uint8Array.from({ length: 288 }, (_, symbol) => (symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8))),
  tableOf(new Uint8Array(30).fill(5)),
];

/** Reads bits, least significant first. */
class Bits {
  #buffer = 0;
  #count = 0;

  constructor(
    readonly bytes: Uint8Array,
    public at: number,
  ) {}

  /** Offset after the last byte that a bit was read from. */
  get end(): number {
    return this.at - (this.#count >>> 3);
  }

  take(count: number): number {
    this.#fill(count);
    if (this.#count < count) throw new DeflateError("unexpected end of data");
    const value = this.#buffer & ((1 << count) - 1);
    this.#buffer >>>= count;
    this.#count -= count;
    return value;
  }

  symbol(table: CodeTable): number {
    this.#fill(LONGEST_CODE);
    const entry = table.entries[this.#buffer & (table.entries.length - 1)]!;
    return entry === 0 ? this.#longSymbol(table) : this.#consume(entry >>> 4, entry & 15);
  }

  /** Codes of one length are consecutive, and the first code of a length follows from the shorter lengths. */
  #longSymbol({ counts, symbols }: CodeTable): number {
    let [code, first, place] = [0, 0, 0];
    for (let length = 1; length <= LONGEST_CODE; length += 1) {
      code |= (this.#buffer >>> (length - 1)) & 1;
      if (code - first < counts[length]!) return this.#consume(symbols[place + code - first]!, length);
      place += counts[length]!;
      first = (first + counts[length]!) << 1;
      code <<= 1;
    }
    throw new DeflateError("invalid code");
  }

  #consume(symbol: number, length: number): number {
    if (length > this.#count) throw new DeflateError("unexpected end of data");
    this.#buffer >>>= length;
    this.#count -= length;
    return symbol;
  }

  /** Skips a stored block and returns its byte length. */
  skipStored(): number {
    this.at = this.end;
    [this.#buffer, this.#count] = [0, 0];
    const { bytes, at } = this;
    const byteLength = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8);
    this.at = at + 4 + byteLength;
    if (this.at > bytes.length) throw new DeflateError("unexpected end of data");
    return byteLength;
  }

  /** Buffers at least `count` bits, or as many as are left: a stream ends with its last symbol. */
  #fill(count: number): void {
    while (this.#count < count && this.at < this.bytes.length) {
      this.#buffer |= this.bytes[this.at]! << this.#count;
      this.at += 1;
      this.#count += 8;
    }
  }
}
/* eslint-enable @typescript-eslint/no-non-null-assertion */

/** Compression of a body: gzip (RFC 1952) with one or more members, or one zlib stream (RFC 1950). */
export type BodyCompression = "gzip" | "deflate";

/** Called with the inflated bytes so far. What it throws stops the inflation. */
type OnInflated = (inflated: Uint8Array) => void;

/** Bytes that are first allocated for a body. Allocating the whole would take memory for bodies that are refused at their first bytes. */
const FIRST_BYTES = 64 * 1024;

/**
 * Inflates a body by the same rules on every runtime: all gzip members form one body, and bytes after the last stream are an error.
 * The limit covers all members together and is checked before anything is inflated.
 * @throws malformed_json, body_too_large, and what `held` and `onInflated` throw
 */
export async function inflate(
  bytes: Uint8Array,
  format: BodyCompression,
  maxByteLength: number,
  held: HeldMemory,
  onInflated: OnInflated,
): Promise<Uint8Array> {
  const { streams, byteLength } = await streamsIn(bytes, format, maxByteLength, held);
  let body = new Uint8Array(Math.min(byteLength, FIRST_BYTES));
  let end = 0;
  try {
    for (const stream of streams) {
      for await (const chunk of new Blob([stream as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new DecompressionStream(format))) {
        held.take(chunk.length);
        const from = end;
        end += chunk.length;
        if (end > body.length) body = grown(body, Math.min(byteLength, Math.max(end, 2 * body.length)));
        body.set(chunk, from);
        onInflated(body.subarray(0, end));
      }
    }
  } catch (error) {
    throw error instanceof DaybookError ? error : damaged(format);
  }
  if (end !== byteLength) throw damaged(format);
  return body;
}

interface CompressedStreams {
  readonly streams: readonly Uint8Array[];
  /** Byte length of all of them, inflated. */
  readonly byteLength: number;
}

/** Splits a body into its compressed streams. Cost: reads every bit. @throws malformed_json, body_too_large */
async function streamsIn(bytes: Uint8Array, format: BodyCompression, maxByteLength: number, held: HeldMemory): Promise<CompressedStreams> {
  const streams: Uint8Array[] = [];
  let left = maxByteLength;
  for (let start = 0; start < bytes.length; ) {
    if (streams.length > 0 && (format === "deflate" || !isMember(bytes, start))) {
      const expected = format === "gzip" ? "another gzip member" : "nothing";
      throw new DaybookError("malformed_json", `expected ${expected} after the end of the ${format} stream, got ${bytes.length - start} more bytes`);
    }
    if (streams.length === SERVER_LIMITS.gzipMemberCount)
      throw new DaybookError("malformed_json", `expected at most ${SERVER_LIMITS.gzipMemberCount} gzip members in a body`);
    const { end, byteLength } = await streamAt(bytes, start, format, left, held);
    if (byteLength > left) throw bodyTooLarge(maxByteLength);
    left -= byteLength;
    streams.push(bytes.subarray(start, end));
    start = end;
  }
  return { streams, byteLength: maxByteLength - left };
}

async function streamAt(bytes: Uint8Array, start: number, format: BodyCompression, left: number, held: HeldMemory): Promise<DeflateEnd> {
  try {
    const steps = endOfDeflate(bytes, dataStart(bytes, start, format), left);
    const { end, byteLength } = await runYielding(steps, () => held.pace(BYTES_PER_STEP));
    // The runtime verifies the checksum in the trailer.
    return { end: end + (format === "gzip" ? GZIP_TRAILER_BYTES : ZLIB_TRAILER_BYTES), byteLength };
  } catch (error) {
    throw error instanceof DeflateError ? damaged(format) : error;
  }
}

const [GZIP_HEADER_BYTES, GZIP_TRAILER_BYTES, ZLIB_HEADER_BYTES, ZLIB_TRAILER_BYTES] = [10, 8, 2, 4];
/** Flags of the optional parts of a gzip header: a checksum, extra fields, a file name, a comment. */
const [HAS_CHECKSUM, HAS_FIELDS, HAS_NAME, HAS_COMMENT] = [2, 4, 8, 16];

function isMember(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 0x1f && bytes[at + 1] === 0x8b;
}

/** Offset of the compressed data after the header. */
function dataStart(bytes: Uint8Array, start: number, format: BodyCompression): number {
  if (format === "deflate") return start + ZLIB_HEADER_BYTES;
  if (!isMember(bytes, start)) throw new DeflateError("missing gzip header");
  const flags = bytes[start + 3] ?? 0;
  let at = start + GZIP_HEADER_BYTES;
  if ((flags & HAS_FIELDS) !== 0) at += 2 + ((bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8));
  for (const flag of [HAS_NAME, HAS_COMMENT]) {
    if ((flags & flag) === 0) continue;
    const end = bytes.indexOf(0, at);
    if (end === -1) throw new DeflateError("unexpected end of data");
    at = end + 1;
  }
  return (flags & HAS_CHECKSUM) === 0 ? at : at + 2;
}

function damaged(format: BodyCompression): DaybookError {
  return new DaybookError("malformed_json", `expected a complete ${format} stream, but the body cannot be decompressed`);
}
