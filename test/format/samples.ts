import type { CodeColumn } from "../../src/storage/column/column.js";
import type { DictionaryDelta } from "../../src/storage/column/dictionaries.js";
import { FIELDS } from "../../src/core/schema/fields.js";
import type { MergedRows } from "../../src/storage/segment/merge-rows.js";
import type { Batch } from "../../src/store/batch/batch.js";
import type { Manifest } from "../../src/store/files/manifest.js";

/** Sixteen times one byte. */
function id(byte: number): number[] {
  return new Array<number>(16).fill(byte);
}

/** New values of a field with a two-byte character, and of a metadata key. */
export const deltas: readonly DictionaryDelta[] = [
  { name: "name", start: 1, values: ["open", "größe"] },
  { name: "m1", start: 3, values: ['{"a":1}'] },
];

/** Two rows: names 1 and 2, a user code that needs two bytes, the second with one metadata value. */
export function sampleBatch(): Batch {
  const codes = FIELDS.map(({ column }) => (column === "name" ? Uint32Array.of(1, 2) : column === "userId" ? Uint32Array.of(0, 0x1234) : new Uint32Array(2)));
  return {
    rowCount: 2,
    times: Float64Array.of(1_772_323_200_000, 1_772_323_200_001),
    ids: Uint8Array.of(...id(0xa1), ...id(0xb2)),
    codes,
    shapes: Uint32Array.of(0, 1),
    values: Uint32Array.of(3),
  };
}

const dense = (codes: Uint8Array | Uint16Array): CodeColumn => ({ kind: "dense", codes });

/** Three rows of 2026-03-01 with a narrow, a wide and a sparse column, one of zeros alone, and one link of ids. */
export function sampleRows(): MergedRows {
  return {
    day: 20_513,
    times: Int32Array.of(0, 5, 86_399_999),
    ids: Uint8Array.of(...id(1), ...id(2), ...id(3)),
    sequences: Uint32Array.of(7, 9, 8),
    columns: new Map<string, CodeColumn>([
      ["name", dense(Uint8Array.of(1, 2, 1))],
      ["url", dense(Uint16Array.of(0, 300, 4))],
      ["device", dense(Uint8Array.of(0, 0, 0))],
      ["userId", dense(Uint8Array.of(0, 6, 0))],
      ["anonymousId", dense(Uint8Array.of(5, 5, 0))],
      ["m1", { kind: "sparse", rows: Uint32Array.of(2), codes: Uint8Array.of(3), rowCount: 3 }],
    ]),
  };
}

export const sampleManifest: Manifest = {
  format: 8,
  epoch: 3,
  clean: true,
  nextSequence: 10,
  firstJournal: 4,
  nextFile: 6,
  segments: [{
    key: "segments/0000000002", byteLength: 1_024, day: 20_513, rowCount: 9, minMs: 4, maxMs: 86_399_999, firstSequence: 1, lastSequence: 9,
    columnCount: 5, hasLinks: true, sha256: "ab".repeat(32), footerCrc32: 4_000_000_001,
  }],
  dictionaries: [{ key: "dictionaries/0000000003", byteLength: 256, sha256: "cd".repeat(32), footerCrc32: 7 }],
  identities: [{ key: "identities/0000000004", byteLength: 128, sha256: "ef".repeat(32), footerCrc32: 0 }],
  received: [{ key: "identities/0000000005", byteLength: 64, sha256: "01".repeat(32), footerCrc32: 9, firstSequence: 1, nextSequence: 10 }],
  privacy: null,
};
