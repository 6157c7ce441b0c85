/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by the row count */
import { compareIds } from "../base/uuid.js";
import { ID_COLUMN } from "../schema/fields.js";
import type { Rows } from "./rows.js";

/** Whether a sealed segment, or a frozen head, holds an event id. Logarithmic once its ids have been put in order. */
export async function hasId(rows: Rows, ids: Uint8Array, offset: number): Promise<boolean> {
  rows.pin();
  try {
    await rows.load([ID_COLUMN]);
    const stored = rows.ids();
    const order = rows.derive("idOrder", () => orderOfIds(stored), (made) => made.byteLength);
    let low = 0;
    let high = order.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareIds(stored, order[middle]! * 16, ids, offset) < 0) low = middle + 1;
      else high = middle;
    }
    return low < order.length && compareIds(stored, order[low]! * 16, ids, offset) === 0;
  } finally {
    rows.unpin();
  }
}

/** Rows in order of their ids. */
function orderOfIds(ids: Uint8Array): Uint32Array {
  const order = new Uint32Array(ids.length / 16);
  for (let row = 0; row < order.length; row += 1) order[row] = row;
  return order.sort((a, b) => compareIds(ids, a * 16, ids, b * 16));
}

/** The rows of a growing head by event id: open addressing over row numbers, extended as far as the head has grown. */
export class HeadIdIndex {
  #slots = new Uint32Array(256);
  #indexed = 0;

  has(stored: Uint8Array, ids: Uint8Array, offset: number): boolean {
    this.#extend(stored);
    const mask = this.#slots.length - 1;
    for (let slot = homeOf(ids, offset) & mask; this.#slots[slot] !== 0; slot = (slot + 1) & mask)
      if (compareIds(stored, (this.#slots[slot]! - 1) * 16, ids, offset) === 0) return true;
    return false;
  }

  #extend(stored: Uint8Array): void {
    const rowCount = stored.length / 16;
    if (rowCount * 2 > this.#slots.length) {
      this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(rowCount * 4)));
      this.#indexed = 0;
    }
    const mask = this.#slots.length - 1;
    for (; this.#indexed < rowCount; this.#indexed += 1) {
      let slot = homeOf(stored, this.#indexed * 16) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = this.#indexed + 1;
    }
  }
}

function homeOf(ids: Uint8Array, offset: number): number {
  let hash = 0;
  for (let at = offset; at < offset + 16; at += 1) hash = Math.imul(hash ^ ids[at]!, 0x01000193);
  return hash ^ (hash >>> 15);
}
