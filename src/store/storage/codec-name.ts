import { onePerProcess } from "../../base/one-per-process.js";
import type { Codec } from "./storage.js";

/** Codecs that other threads have too. */
export type CodecName = "zlib" | "runs";

// Not a member of a codec: one that is made of another would have it too.
const names = onePerProcess("codec names", () => new WeakMap<Codec, CodecName>());

/** The same codec, known by a name from now on: pure to bundlers, since a codec that nobody uses needs none. */
export function named(name: CodecName, codec: Codec): Codec {
  names.set(codec, name);
  return codec;
}

/** The name under which other threads have this codec; null where they do not. */
export function nameOf(codec: Codec): CodecName | null {
  return names.get(codec) ?? null;
}
