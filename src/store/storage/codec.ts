import type * as Fflate from "fflate";
import { DaybookError } from "../../base/errors.js";
import { named } from "./codec-name.js";
import { deflateRuns } from "./deflate-runs.js";
import type { Codec } from "./storage.js";

/** The error of a deflated block that does not inflate to the size it was stored with. */
export function damagedBlock(expectedByteLength: number, cause?: unknown): DaybookError {
  const message = `a deflated block is damaged: expected ${expectedByteLength} bytes`;
  return new DaybookError("corruption", message, {}, { cause });
}

/** Loaded with the first block: where there is a codec of Node, nobody needs it. */
let fflate: typeof Fflate | null = null;

function withFflate(act: (loaded: typeof Fflate) => Uint8Array): Uint8Array | Promise<Uint8Array> {
  return fflate === null ? import("fflate").then((loaded) => act((fflate = loaded))) : act(fflate);
}

function inflateBy({ inflateSync }: typeof Fflate, bytes: Uint8Array, byteLength: number): Uint8Array {
  // fflate takes an empty stream for an empty result, and writes past the end of `out` without a word:
  // one spare byte shows a stream that is longer than it should be.
  if (bytes.length === 0) throw damagedBlock(byteLength);
  let inflated: Uint8Array;
  try {
    inflated = inflateSync(bytes, { out: new Uint8Array(byteLength + 1) });
  } catch (error) {
    throw damagedBlock(byteLength, error);
  }
  if (inflated.length !== byteLength) throw damagedBlock(byteLength);
  return inflated;
}

/** Raw deflate, level 1, in plain JavaScript: about 35 MB/s in and 90 MB/s out on one core. @throws corruption */
export const defaultCodec: Codec = {
  deflate: (bytes) => withFflate(({ deflateSync }) => deflateSync(bytes, { level: 1 })),
  inflate: (bytes, byteLength) => withFflate((loaded) => inflateBy(loaded, bytes, byteLength)),
};

/** Where room is memory and nothing waits for a disk: blocks stay as they are but for long runs. @throws corruption */
export const memoryCodec: Codec = /* @__PURE__ */ named("runs", { deflate: deflateRuns, inflate: (bytes, byteLength) => defaultCodec.inflate(bytes, byteLength) });
