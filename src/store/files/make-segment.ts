import { Turns } from "../../core/base/turn.js";
import { mergeRows } from "../../storage/segment/merge-rows.js";
import type { MergedRows, SourceRows } from "../../storage/segment/merge-rows.js";
import type { ExcerptRule } from "../../storage/segment/excerpt.js";
import { encodeSegment } from "../../storage/segment/segment-file.js";
import { sha256Of } from "./check-file.js";
import type { Codec } from "../storage/storage.js";

export type { ExcerptRule } from "../../storage/segment/excerpt.js";
export type { SourceRows } from "../../storage/segment/merge-rows.js";

/** A segment file that is not yet written. */
export interface MadeSegment {
  readonly bytes: Uint8Array;
  /** Of all bytes, in hex. */
  readonly sha256: string;
}

/** The parts of a codec that making a segment file needs. */
export type SegmentCodec = Pick<Codec, "deflate" | "createSha256">;

/** Makes segment files off the calling thread. */
export interface Sealer {
  /**
   * Makes the file that `makeSegment` would make, byte for byte; null if it cannot, and the caller has to make it.
   * The sources are read one by one until the promise settles, and must not change before.
   * @param excerpts stored with the rows
   * @param turns yields while the sources are read
   */
  make(sources: readonly SourceRows[], excerpts: readonly ExcerptRule[], codec: Codec, turns: Turns): Promise<MadeSegment | null>;
}

/** Merges rows of one day into the bytes of a segment file. @param excerpts stored with the rows @param turns yields while working */
export async function makeSegment(
  sources: readonly SourceRows[],
  excerpts: readonly ExcerptRule[],
  codec: SegmentCodec,
  turns = new Turns(),
): Promise<MadeSegment> {
  return await encodeRows(await mergeRows(sources, turns), excerpts, codec, turns);
}

/** Encodes merged rows as a segment file. @param turns yields while working */
export async function encodeRows(merged: MergedRows, excerpts: readonly ExcerptRule[], codec: SegmentCodec, turns = new Turns()): Promise<MadeSegment> {
  const { bytes } = await encodeSegment(merged, { deflate: (raw) => codec.deflate(raw), excerpts }, turns);
  return { bytes, sha256: await sha256Of(codec, bytes, turns) };
}
