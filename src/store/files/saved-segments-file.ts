import { sha256, toHex } from "../../core/base/hash.js";
import { damaged } from "../../storage/segment/segment-file.js";

/** Key of a file that no manifest names; replaced as a whole. */
export const SAVED_SEGMENTS_KEY = "segments.json";

/** A saved segment as stored. */
export interface StoredSegment {
  readonly name: string;
  readonly groups: readonly unknown[];
}

export function encodeSavedSegments(segments: readonly StoredSegment[]): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify({ segments, check: checkOf(segments) })}\n`);
}

/** Decodes the saved segments. @throws corruption */
export function decodeSavedSegments(bytes: Uint8Array): readonly StoredSegment[] {
  let file: { segments?: unknown; check?: unknown } | null;
  try {
    file = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) as typeof file;
  } catch (cause) {
    throw damaged(SAVED_SEGMENTS_KEY, "it is not JSON", cause);
  }
  const segments = file?.segments;
  if (!Array.isArray(segments)) throw damaged(SAVED_SEGMENTS_KEY, "it contains no list of segments");
  if (file?.check !== checkOf(segments)) throw damaged(SAVED_SEGMENTS_KEY, "its checksum is wrong");
  return segments as readonly StoredSegment[];
}

function checkOf(segments: readonly unknown[]): string {
  return toHex(sha256(new TextEncoder().encode(JSON.stringify(segments)))).slice(0, 32);
}
