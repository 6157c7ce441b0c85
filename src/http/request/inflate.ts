import { DaybookError } from "../../base/errors.js";
import { SERVER_LIMITS } from "../../base/server-limits.js";
import type { HeldMemory } from "../overload/admission.js";
import { bodyTooLarge, collect } from "../wire/exchange.js";
import { endOfDeflate, NoDeflate } from "./deflate-end.js";

/** How bodies are compressed: gzip (RFC 1952), one member or several, or one zlib stream (RFC 1950). */
export type BodyCompression = "gzip" | "deflate";

/**
 * A body as it was before it was compressed, by the same rules on every runtime: the members of a gzip body are one body, and bytes behind the last
 * stream are an error. The bound holds for all members together, before anything is inflated.
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

/** The streams that a body is made of. Cost: a look at all bits. @throws malformed_json, body_too_large */
function streamsIn(bytes: Uint8Array, format: BodyCompression, maxByteLength: number): Uint8Array[] {
  const streams: Uint8Array[] = [];
  let left = maxByteLength;
  for (let start = 0; start < bytes.length; ) {
    if (streams.length > 0 && (format === "deflate" || !isMember(bytes, start))) {
      const expected = format === "gzip" ? "another gzip member" : "nothing";
      throw new DaybookError("malformed_json", `expected ${expected} behind the end of the ${format} stream, got ${bytes.length - start} more bytes`);
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
    // Checksums are for the runtime to check.
    return { end: end + (format === "gzip" ? GZIP_TRAILER_BYTES : ZLIB_TRAILER_BYTES), byteLength };
  } catch (error) {
    throw error instanceof NoDeflate ? damaged(format) : error;
  }
}

const [GZIP_HEADER_BYTES, GZIP_TRAILER_BYTES, ZLIB_HEADER_BYTES, ZLIB_TRAILER_BYTES] = [10, 8, 2, 4];
/** What a gzip header may have besides: a checksum of its own, more fields, the name of a file, a comment. */
const [HAS_CHECKSUM, HAS_FIELDS, HAS_NAME, HAS_COMMENT] = [2, 4, 8, 16];

function isMember(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 0x1f && bytes[at + 1] === 0x8b;
}

/** Where the data behind a header begins. */
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

/** What some streams hold, one behind the other. */
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
  return new DaybookError("malformed_json", `expected a whole ${format} stream, the body does not inflate`);
}
