import { DaybookError } from "../../core/base/errors.js";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import type { HeldMemory } from "../overload/admission.js";
import { bodyTooLarge, collect } from "../wire/exchange.js";
import { endOfDeflate, NoDeflate } from "./deflate-end.js";

/** Compression of a body: gzip (RFC 1952) with one or more members, or one zlib stream (RFC 1950). */
export type BodyCompression = "gzip" | "deflate";

/**
 * Inflates a body by the same rules on every runtime: all gzip members form one body, and bytes after the last stream are an error.
 * The limit covers all members together and is checked before anything is inflated.
 * @throws malformed_json, body_too_large, and what `held` throws
 */
export async function inflate(bytes: Uint8Array, format: BodyCompression, maxByteLength: number, held: HeldMemory): Promise<Uint8Array> {
  const streams = streamsIn(bytes, format, maxByteLength);
  try {
    return await collect(inflated(streams, format), maxByteLength, (byteLength) => held.take(byteLength));
  } catch (error) {
    throw error instanceof DaybookError ? error : damaged(format);
  }
}

/** Splits a body into its compressed streams. Cost: reads every bit. @throws malformed_json, body_too_large */
function streamsIn(bytes: Uint8Array, format: BodyCompression, maxByteLength: number): Uint8Array[] {
  const streams: Uint8Array[] = [];
  let left = maxByteLength;
  for (let start = 0; start < bytes.length; ) {
    if (streams.length > 0 && (format === "deflate" || !isMember(bytes, start))) {
      const expected = format === "gzip" ? "another gzip member" : "nothing";
      throw new DaybookError("malformed_json", `expected ${expected} after the end of the ${format} stream, got ${bytes.length - start} more bytes`);
    }
    if (streams.length === SERVER_LIMITS.gzipMemberCount)
      throw new DaybookError("malformed_json", `expected at most ${SERVER_LIMITS.gzipMemberCount} gzip members in a body`);
    const { end, byteLength } = streamAt(bytes, start, format, left);
    if (byteLength > left) throw bodyTooLarge(maxByteLength);
    left -= byteLength;
    streams.push(bytes.subarray(start, end));
    start = end;
  }
  return streams;
}

function streamAt(bytes: Uint8Array, start: number, format: BodyCompression, left: number) {
  try {
    const { end, byteLength } = endOfDeflate(bytes, dataStart(bytes, start, format), left);
    // The runtime checks the checksums.
    return { end: end + (format === "gzip" ? GZIP_TRAILER_BYTES : ZLIB_TRAILER_BYTES), byteLength };
  } catch (error) {
    throw error instanceof NoDeflate ? damaged(format) : error;
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
  if (!isMember(bytes, start)) throw new NoDeflate("no gzip header");
  const flags = bytes[start + 3] ?? 0;
  let at = start + GZIP_HEADER_BYTES;
  if ((flags & HAS_FIELDS) !== 0) at += 2 + ((bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8));
  for (const flag of [HAS_NAME, HAS_COMMENT]) {
    if ((flags & flag) === 0) continue;
    const end = bytes.indexOf(0, at);
    if (end === -1) throw new NoDeflate("cut short");
    at = end + 1;
  }
  return (flags & HAS_CHECKSUM) === 0 ? at : at + 2;
}

function inflated(streams: readonly Uint8Array[], format: BodyCompression): ReadableStream<Uint8Array> {
  const chunks = chunksOf(streams, format);
  return new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await chunks.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => {
      await chunks.return(undefined);
    },
  });
}

async function* chunksOf(streams: readonly Uint8Array[], format: BodyCompression): AsyncGenerator<Uint8Array, undefined> {
  for (const stream of streams) {
    const reader = new Blob([stream as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new DecompressionStream(format)).getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  }
  return undefined;
}

function damaged(format: BodyCompression): DaybookError {
  return new DaybookError("malformed_json", `expected a complete ${format} stream, but the body cannot be decompressed`);
}
