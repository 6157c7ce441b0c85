import { DaybookError } from "daybook";
import { describe, expect, test } from "vitest";
import {
  Journal, journalKey, journalNumber, replayJournal, FRAME_KINDS, JOURNAL_HEADER_BYTES, encodeFrame, encodeJournalHeader, journalHeaderCrc,
} from "../../src/store/journal/journal.js";
import { RecordingStorage } from "./recording-storage.js";

interface FrameSpec {
  readonly first: number;
  readonly count: number;
  /** Rows below it were durable when the frame was written. */
  readonly synced: number;
  readonly kind?: number;
}

/** A journal of frames chained as a writer would, and the byte at which each begins. */
function journalOf(frames: readonly FrameSpec[]): { readonly bytes: Uint8Array; readonly starts: readonly number[] } {
  const header = encodeJournalHeader(1);
  const parts = [header];
  const starts: number[] = [];
  let crc = journalHeaderCrc(header) ?? 0;
  let at = header.length;
  for (const { first, count, synced, kind = FRAME_KINDS.rows } of frames) {
    const frame = encodeFrame(kind, first, count, synced, crc, 0, Uint8Array.of(first, count, 7));
    crc = frame.crc;
    starts.push(at);
    at += frame.bytes.length;
    parts.push(frame.bytes);
  }
  return { bytes: Buffer.concat(parts), starts };
}

/** Three frames of five rows, each written when the ones before were durable. */
const three: readonly FrameSpec[] = [
  { first: 1, count: 5, synced: 1 },
  { first: 6, count: 5, synced: 6 },
  { first: 11, count: 5, synced: 11 },
];

function replay(bytes: Uint8Array, nextSequence = 1) {
  const applied: number[] = [];
  const found = replayJournal({ number: 1, file: "journal", bytes }, nextSequence, (frame) => applied.push(frame.firstSequence));
  return { applied, next: found.nextSequence, ended: found.ended, goodByteLength: found.end.byteLength };
}

function codeOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return error instanceof DaybookError ? `${error.code}: ${error.message}` : `foreign: ${String(error)}`;
  }
  return "nothing thrown";
}

function flipped(bytes: Uint8Array, at: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 0x10;
  return copy;
}

const rows = (firstSequence: number, sequenceCount: number, byteLength: number) => ({
  kind: FRAME_KINDS.rows,
  firstSequence,
  sequenceCount,
  payload: new Uint8Array(byteLength),
});

describe("replaying a journal", () => {
  test("hands over every frame in order", () => {
    const { bytes } = journalOf(three);
    expect(replay(bytes)).toEqual({ applied: [1, 6, 11], next: 16, ended: false, goodByteLength: bytes.length });
  });

  test("cuts off what an append left half-written, at any byte", () => {
    const { bytes, starts } = journalOf(three);
    for (let end = starts[2] ?? 0; end < bytes.length; end += 1)
      expect(replay(bytes.subarray(0, end)), `cut at ${end}`).toEqual({ applied: [1, 6], next: 11, ended: false, goodByteLength: starts[2] });
    for (let end = 0; end < JOURNAL_HEADER_BYTES; end += 1) expect(replay(bytes.subarray(0, end)).applied).toEqual([]);
  });

  test("takes a damaged last frame for a torn one: nothing says that it was durable", () => {
    const { bytes, starts } = journalOf(three);
    for (let at = starts[2] ?? 0; at < bytes.length; at += 1) expect(replay(flipped(bytes, at)).applied).toEqual([1, 6]);
  });

  test("reports a damaged frame that a later one knew to be durable", () => {
    const { bytes, starts } = journalOf(three);
    for (let at = 0; at < (starts[2] ?? 0); at += 1) expect(codeOf(() => replay(flipped(bytes, at))), `byte ${at}`).toMatch(/^corruption: /);
  });

  test("cuts at a damaged frame whose successors were written before it was durable", () => {
    const { bytes, starts } = journalOf([
      { first: 1, count: 5, synced: 1 },
      { first: 6, count: 5, synced: 6 },
      { first: 11, count: 5, synced: 6 },
    ]);
    for (let at = starts[1] ?? 0; at < (starts[2] ?? 0); at += 1)
      expect(replay(flipped(bytes, at)), `byte ${at}`).toEqual({ applied: [1], next: 6, ended: false, goodByteLength: starts[1] });
  });

  test("reports rows that are missing before its first frame", () => {
    const { bytes } = journalOf([{ first: 6, count: 5, synced: 6 }]);
    expect(codeOf(() => replay(bytes, 1))).toMatch(/^corruption: .*rows 1 to 5 are missing/);
    expect(replay(bytes, 6).applied).toEqual([6]);
  });

  test("does not take a frame of another journal, nor one twice", () => {
    const { bytes, starts } = journalOf(three);
    const second = bytes.subarray(starts[1] ?? 0, starts[2] ?? 0);
    const last = bytes.subarray(starts[2] ?? 0);
    expect(replay(Buffer.concat([bytes, last])).applied).toEqual([1, 6, 11]);
    const foreign = journalOf([{ first: 1, count: 4, synced: 1 }, { first: 5, count: 1, synced: 1 }]).bytes;
    expect(replay(Buffer.concat([foreign, second])).applied).toEqual([1, 5]);
  });

  test("tells an end mark, and what stands behind it", () => {
    const ended = journalOf([...three, { first: 16, count: 0, synced: 16, kind: FRAME_KINDS.end }]).bytes;
    expect(replay(ended)).toEqual({ applied: [1, 6, 11], next: 16, ended: true, goodByteLength: ended.length });
    expect(replay(Buffer.concat([ended, Uint8Array.of(1)])).goodByteLength).toBe(ended.length);
  });
});

describe("writing a journal", () => {
  const key = journalKey(1);

  async function created(storage: RecordingStorage): Promise<Journal> {
    return await Journal.create(1, await storage.openAppend(key), 1, 1);
  }

  test("marks in each frame what was durable before it", async () => {
    const storage = new RecordingStorage();
    const journal = await created(storage);
    const marks: number[] = [];
    await journal.append(0, rows(1, 5, 3));
    await journal.append(0, rows(6, 1, 3));
    await journal.sync(7);
    await journal.append(0, rows(7, 2, 3));
    replayJournal({ number: 1, file: key, bytes: storage.objects.get(key) ?? new Uint8Array(0) }, 1, (frame) => marks.push(frame.syncedSequence));
    expect(marks).toEqual([1, 1, 7]);
  });

  test("cuts off a frame that could not be written whole, and goes on", async () => {
    const storage = new RecordingStorage();
    const journal = await created(storage);
    await journal.append(0, rows(1, 5, 30));
    storage.before = (operation) => {
      if (operation.startsWith("append")) throw new DaybookError("storage_full", "no space");
    };
    await expect(journal.append(0, rows(6, 5, 30))).rejects.toMatchObject({ code: "storage_full" });
    storage.before = () => undefined;
    await journal.append(0, rows(6, 1, 3));
    expect(replay(storage.objects.get(key) ?? new Uint8Array(0)).applied).toEqual([1, 6]);
  });

  test("takes nothing more once a sync, or the cutting off, has failed", async () => {
    for (const failing of ["sync", "truncate"]) {
      const storage = new RecordingStorage();
      const journal = await created(storage);
      storage.before = (operation) => {
        if (operation.startsWith(failing) || (failing === "truncate" && operation.startsWith("append"))) throw new Error("broken disk");
      };
      await expect(journal.append(0, rows(1, 1, 3)).then(() => journal.sync(2))).rejects.toThrow();
      storage.before = () => undefined;
      expect(journal.isPoisoned).toBe(true);
      await expect(journal.append(0, rows(2, 1, 3))).rejects.toMatchObject({ code: "read_only" });
      await expect(journal.sync(2)).rejects.toMatchObject({ code: "read_only" });
    }
  });

  test("lies under a key that tells its number", () => {
    expect(journalKey(12)).toBe("journal/0000000012");
    expect([journalKey(12), `${journalKey(3)}/0000000001`, "segments/0000000001", "journal/x"].map(journalNumber)).toEqual([12, 3, null, null]);
  });
});
