import { Turns } from "../../base/turn.js";
import { concat } from "../batch/payload.js";
import { FRAME_KINDS, encodeFrame, encodeJournalHeader, journalHeaderCrc } from "../journal/journal-frame.js";
import type { Moment } from "./moment.js";

/** One journal with all frames of a moment, chained anew, and an end mark: none of them can be lost without a word. */
export async function momentJournal({ manifest, frames, nextSequence }: Moment): Promise<Uint8Array> {
  const turns = new Turns();
  const header = encodeJournalHeader(manifest.epoch);
  const parts = [header];
  let previousCrc = journalHeaderCrc(header) ?? 0;
  const append = (kind: number, firstSequence: number, recordCount: number, syncedSequence: number, payload: Uint8Array) => {
    const { bytes, crc } = encodeFrame(kind, firstSequence, recordCount, syncedSequence, previousCrc, payload);
    previousCrc = crc;
    parts.push(bytes);
  };
  for (const { kind, firstSequence, recordCount, syncedSequence, payload } of frames) {
    append(kind, firstSequence, recordCount, syncedSequence, payload);
    await turns.took(payload.length);
  }
  append(FRAME_KINDS.end, nextSequence, 0, nextSequence, new Uint8Array(0));
  return concat(parts);
}
