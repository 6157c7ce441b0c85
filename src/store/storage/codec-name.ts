import { onePerProcess } from "../../core/base/one-per-process.js";
import type { Codec } from "./storage.js";

/** Codecs that are available in other threads. */
export type CodecName = "zlib" | "runs";

// Not a member of the codec: a codec derived from it would inherit the name.
const names = onePerProcess("codec names", () => new WeakMap<Codec, CodecName>());

/** Registers a codec under a name and returns it. Calls may be marked pure: an unused codec needs no name. */
export function named(name: CodecName, codec: Codec): Codec {
  names.set(codec, name);
  return codec;
}

/** The name of a codec in other threads; null if it is not available there. */
export function nameOf(codec: Codec): CodecName | null {
  return names.get(codec) ?? null;
}
