import { createHash } from "node:crypto";
import { promisify } from "node:util";
import zlib from "node:zlib";
import { useCrc32, useSha256 } from "../../core/base/hash.js";
import { named, damagedBlock } from "../../store/storage/codec.js";
import type { SegmentCodec } from "../../store/files/make-segment.js";
import type { Codec, Sha256Stream } from "../../store/storage/storage.js";

const deflateInThread = promisify<Uint8Array, zlib.ZlibOptions, Buffer>(zlib.deflateRaw);
const inflateInThread = promisify<Uint8Array, zlib.ZlibOptions, Buffer>(zlib.inflateRaw);

/** Below this length, passing bytes to a thread costs more than the work. */
const SYNC_BYTES_MAX = 64 * 1024;

// In Node since 20.15. Set here because programs that load this module checksum every byte of the files they read.
if (typeof (zlib as Partial<typeof zlib>).crc32 === "function") useCrc32((bytes, previous) => zlib.crc32(bytes, previous));
useSha256((bytes) => plainBytes(createHash("sha256").update(bytes).digest()));

/** A plain `Uint8Array`: `slice` of a Buffer shares the bytes instead of copying them. */
function plainBytes(buffer: Buffer): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
}

function exactly(buffer: Buffer, byteLength: number): Uint8Array {
  if (buffer.length !== byteLength) throw damagedBlock(byteLength);
  return plainBytes(buffer);
}

function deflate(bytes: Uint8Array): Uint8Array | Promise<Uint8Array> {
  const options = { level: 1 };
  if (bytes.length < SYNC_BYTES_MAX) return plainBytes(zlib.deflateRawSync(bytes, options));
  return deflateInThread(bytes, options).then(plainBytes);
}

/** One chunk with spare room, so that the result needs no copy; zlib accepts no limit of 0. */
function inflateOptions(byteLength: number): zlib.ZlibOptions {
  return { chunkSize: byteLength + 64, maxOutputLength: Math.max(byteLength, 1) };
}

function inflateNow(bytes: Uint8Array, byteLength: number): Uint8Array {
  let inflated: Buffer;
  try {
    inflated = zlib.inflateRawSync(bytes, inflateOptions(byteLength));
  } catch (error) {
    throw damagedBlock(byteLength, error);
  }
  return exactly(inflated, byteLength);
}

function inflate(bytes: Uint8Array, byteLength: number): Uint8Array | Promise<Uint8Array> {
  if (byteLength < SYNC_BYTES_MAX) return inflateNow(bytes, byteLength);
  return inflateInThread(bytes, inflateOptions(byteLength)).then(
    (inflated) => exactly(inflated, byteLength),
    (error: unknown) => {
      throw damagedBlock(byteLength, error);
    },
  );
}

function createSha256(): Sha256Stream {
  const hash = createHash("sha256");
  return { add: (bytes) => hash.update(bytes), digest: () => plainBytes(hash.digest()) };
}

/** Raw deflate, level 1, by Node's zlib: on the calling thread below 64 KiB, in Node's thread pool above. @throws corruption */
export const nativeCodec: Codec = /* @__PURE__ */ named("zlib", { deflate, inflate, inflateNow, createSha256 });

/** The same for a dedicated thread, synchronous for any length. */
export const nativeCodecOfThread: SegmentCodec = { createSha256, deflate: (bytes) => plainBytes(zlib.deflateRawSync(bytes, { level: 1 })) };
