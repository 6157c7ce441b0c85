import { countBits, rowsOfBits } from "../../storage/column/bitmap.js";
import type { Selection } from "./select.js";

// Shared by all scans: a scan is synchronous and consumes it before the next begins.
let scratch = new Uint32Array(4096);

/** Ascending row numbers of a selection; valid until the next call. */
export function selectedRows(selection: Selection): Uint32Array {
  if (selection.kind === "none") return scratch.subarray(0, 0);
  if (selection.kind === "rows") return selection.rows;
  if (selection.kind === "range") {
    const count = selection.to - selection.from;
    reserve(count);
    for (let at = 0; at < count; at += 1) scratch[at] = selection.from + at;
    return scratch.subarray(0, count);
  }
  reserve(countBits(selection.bits));
  return scratch.subarray(0, rowsOfBits(selection.bits, scratch));
}

/** Row numbers of a selection in descending order, for callers that stop early. */
export function* rowsDown(selection: Selection): Generator<number> {
  if (selection.kind === "range") for (let row = selection.to - 1; row >= selection.from; row -= 1) yield row;
  if (selection.kind === "rows") for (let at = selection.rows.length - 1; at >= 0; at -= 1) yield selection.rows[at] ?? 0;
  if (selection.kind !== "bits") return;
  const { bits } = selection;
  for (let word = bits.length - 1; word >= 0; word -= 1)
    for (let rest = bits[word] ?? 0; rest !== 0; ) {
      const bit = 31 - Math.clz32(rest);
      yield word * 32 + bit;
      rest = (rest & ~(1 << bit)) >>> 0;
    }
}

function reserve(count: number): void {
  if (count > scratch.length) scratch = new Uint32Array(2 ** Math.ceil(Math.log2(count)));
}
