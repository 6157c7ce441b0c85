import { countBits, rowsOfBits } from "../column/bitmap.js";
import type { Selection } from "../filter/select.js";

// One scratch for all scans: a scan is synchronous and reads it before the next begins.
let scratch = new Uint32Array(4096);

/** Ascending row numbers of a selection; valid until the next call. */
export function selectedRows(selection: Selection): Uint32Array {
  if (selection.kind === "none") return scratch.subarray(0, 0);
  if (selection.kind === "range") {
    const count = selection.to - selection.from;
    reserve(count);
    for (let at = 0; at < count; at += 1) scratch[at] = selection.from + at;
    return scratch.subarray(0, count);
  }
  reserve(countBits(selection.bits));
  return scratch.subarray(0, rowsOfBits(selection.bits, scratch));
}

function reserve(count: number): void {
  if (count > scratch.length) scratch = new Uint32Array(2 ** Math.ceil(Math.log2(count)));
}
