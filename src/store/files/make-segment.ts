import { Turns } from "../../base/turn.js";
import { mergeRows } from "../../segment/merge-rows.js";
import type { MergedRows, SourceRows } from "../../segment/merge-rows.js";
import type { ExcerptRule } from "../../segment/excerpt.js";
import { encodeSegment } from "../../segment/segment-file.js";
import { sha256Of } from "./check-file.js";
import type { Codec } from "../storage/storage.js";

export type { ExcerptRule } from "../../segment/excerpt.js";
export type { SourceRows } from "../../segment/merge-rows.js";

/** A segment file that is yet to be written. */
export interface MadeSegment {
  readonly bytes: Uint8Array;
  /** Of all bytes, in hex. */
  readonly sha256: string;
}

/** What of a codec a new segment file takes. */
export type SegmentCodec = Pick<Codec, "deflate" | "createSha256">;

/** Makes segment files elsewhere than on the calling thread. */
export interface Sealer {
  /**
   * The file that `makeSegment` would make, byte for byte; null where it cannot be had here, and the caller has to make it. The rows are read
   * until the promise is settled, one source after the other: they must not change before.
   * @param excerpts what is written beside the rows
   * @param turns the pace at which the sources are read
   */
  make(sources: readonly SourceRows[], excerpts: readonly ExcerptRule[], codec: Codec, turns: Turns): Promise<MadeSegment | null>;
}

/** Merges rows of one day into the bytes of a segment file. @param excerpts what is written beside the rows @param turns the pace */
export async function makeSegment(
  sources: readonly SourceRows[],
  excerpts: readonly ExcerptRule[],
  codec: SegmentCodec,
  turns = new Turns(),
): Promise<MadeSegment> {
  return await encodeRows(await mergeRows(sources, turns), excerpts, codec, turns);
}

/** The bytes of a segment file of rows that are merged already. @param turns the pace */
export async function encodeRows(merged: MergedRows, excerpts: readonly ExcerptRule[], codec: SegmentCodec, turns = new Turns()): Promise<MadeSegment> {
  const { bytes } = await encodeSegment(merged, { deflate: (raw) => codec.deflate(raw), excerpts }, turns);
  return { bytes, sha256: await sha256Of(codec, bytes, turns) };
}
