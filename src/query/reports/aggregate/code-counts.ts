/* eslint-disable @typescript-eslint/no-non-null-assertion -- codes and places are bounded by their arrays */
import { grown } from "../../../core/base/arrays.js";
import { denseCodes, type CodeColumn, type Histogram } from "../../../storage/column/column.js";
import { tooManyValues } from "../../answer/ranked-items.js";
import { flatText } from "../../../core/base/json-text.js";
import { LIMITS } from "../../../core/base/limits.js";
import { compareIds, uuidText } from "../../../core/base/uuid.js";
import { select, selectedRows, type Selector } from "../../filter/select.js";
import type { AggregateItem } from "../../plan/input.js";
import type { Rows } from "../../../storage/segment/rows.js";
import { actorOf } from "../../../storage/segment/summaries.js";

/** Codes are listed while there are fewer than this share of all possible codes; beyond it, reading all codes costs no more. */
const FEW_SHARE = 1 / 3;
/** Longest list of codes, because it is sorted in one step. */
const FEW_COUNT_MAX = 32_768;

/**
 * Counts by code. While few codes have a count, reading them costs only these codes, regardless of how many are possible.
 * Takes 4 bytes per possible code, in pages that are allocated when first touched, and 4 per listed code.
 */
export class CodeCounts {
  #counts: Uint32Array<ArrayBuffer>;
  /** The codes with a count, in order of first occurrence; null: too many to list. */
  #few: Uint32Array<ArrayBuffer> | null = new Uint32Array(256);
  #fewCount = 0;

  /** @param size exclusive upper bound of codes */
  constructor(size: number) {
    this.#counts = new Uint32Array(size);
  }

  get all(): Uint32Array {
    return this.#counts;
  }

  /** The codes with a count, in no order, if reading these is cheaper than reading all codes; else null. */
  get few(): Uint32Array | null {
    return this.#few === null ? null : this.#few.subarray(0, this.#fewCount);
  }

  get codeCount(): number {
    if (this.#few !== null) return this.#fewCount;
    let count = 0;
    for (let code = 0; code < this.#counts.length; code += 1) if (this.#counts[code] !== 0) count += 1;
    return count;
  }

  /** Makes room for codes that are added while rows are read. */
  makeRoom(size: number): void {
    if (this.#counts.length >= size) return;
    this.#counts = grown(this.#counts, Math.max(size, this.#counts.length * 2));
  }

  add(code: number, count: number): void {
    const before = this.#counts[code]!;
    this.#counts[code] = before + count;
    if (before === 0 && count > 0 && this.#few !== null) this.#list(code, this.#few);
  }

  /** Adds one to the count of each row's code. @param rows ascending */
  addRows(column: CodeColumn, rows: Uint32Array): void {
    this.#expect(rows.length);
    if (column.kind === "dense") {
      const { codes } = column;
      for (let at = 0; at < rows.length; at += 1) this.add(codes[rows[at]!]!, 1);
      return;
    }
    let next = 0;
    for (let at = 0; at < rows.length; at += 1) {
      while (next < column.rows.length && column.rows[next]! < rows[at]!) next += 1;
      this.add(column.rows[next] === rows[at] ? column.codes[next]! : 0, 1);
    }
  }

  addHistogram({ codes, counts }: Histogram): void {
    this.#expect(codes.length);
    if (this.#few !== null) for (let at = 0; at < codes.length; at += 1) this.add(codes[at]!, counts[at]!);
    else for (let at = 0; at < codes.length; at += 1) this.#counts[codes[at]!]! += counts[at]!;
  }

  /** The codes with a count, ascending, and their counts. */
  histogram(): Histogram {
    const codes = this.#few === null ? this.#codesInOrder() : this.#few.slice(0, this.#fewCount).sort();
    const counts = new Uint32Array(codes.length);
    for (let at = 0; at < codes.length; at += 1) counts[at] = this.#counts[codes[at]!]!;
    return { codes, counts };
  }

  /** Drops the list of codes if it could exceed its limit when this many more codes are counted. */
  #expect(codeCount: number): void {
    if (this.#fewCount + codeCount > Math.min(this.#counts.length * FEW_SHARE, FEW_COUNT_MAX)) this.#few = null;
  }

  #list(code: number, few: Uint32Array<ArrayBuffer>): void {
    if (this.#fewCount === few.length) {
      this.#few = new Uint32Array(few.length * 4);
      this.#few.set(few);
    }
    this.#few![this.#fewCount] = code;
    this.#fewCount += 1;
  }

  #codesInOrder(): Uint32Array<ArrayBuffer> {
    const codes = new Uint32Array(this.codeCount);
    for (let code = 0, at = 0; at < codes.length; code += 1) {
      if (this.#counts[code] === 0) continue;
      codes[at] = code;
      at += 1;
    }
    return codes;
  }
}

const ID_BYTES = 16;

/** Ids sorted and formatted between two pauses: a few milliseconds. */
const IDS_PER_TURN = 4_096;

/**
 * Events of one project by id. Each id counts once, so only the order of ids decides which are shown.
 * Keeps the first `limit` ids of the selected rows, 16 bytes each, in a heap whose root is the greatest id.
 */
export class EventsById {
  readonly #mostCount: number;
  #heap = new Uint8Array(1024 * ID_BYTES);
  #count = 0;

  constructor(
    readonly limit: number | null,
    readonly needsActor: boolean,
  ) {
    this.#mostCount = Math.min(limit ?? Infinity, LIMITS.ownValueCount);
  }

  /** @throws too_many_values */
  scan(rows: Rows, selector: Selector): void {
    const ids = rows.ids();
    const users = this.needsActor ? denseCodes(rows.column("userId")) : null;
    const anonymous = this.needsActor ? denseCodes(rows.column("anonymousId")) : null;
    const selected = selectedRows(select(rows, selector));
    for (let at = 0; at < selected.length; at += 1) {
      const row = selected[at]!;
      if (users !== null && actorOf(users[row]!, anonymous![row]!) === 0) continue;
      this.#add(ids, row * ID_BYTES);
    }
  }


  /** @param pause yields; what it throws ends the query */
  async ranked(pause: () => Promise<void>): Promise<AggregateItem[]> {
    const items = new Array<AggregateItem>(this.#count);
    const root = new Uint8Array(ID_BYTES);
    // Heap sort: takes the greatest remaining id for the last free position.
    for (let last = this.#count - 1; last >= 0; last -= 1) {
      items[last] = { property: flatText(uuidText(this.#heap)), count: 1 };
      root.set(this.#heap.subarray(last * ID_BYTES, (last + 1) * ID_BYTES));
      this.#count = last;
      this.#sink(root, 0);
      if (last % IDS_PER_TURN === 0) await pause();
    }
    return items;
  }

  #add(ids: Uint8Array, offset: number): void {
    if (this.#count === this.#mostCount) {
      if (this.limit === null || this.limit > this.#mostCount) throw tooManyValues("id");
      if (compareIds(ids, offset, this.#heap, 0) < 0) this.#sink(ids, offset);
      return;
    }
    this.#makeRoom();
    this.#count += 1;
    this.#rise(ids, offset);
  }

  /** Inserts an id at the end of the heap and moves it up past smaller ones. */
  #rise(ids: Uint8Array, offset: number): void {
    const heap = this.#heap;
    let place = this.#count - 1;
    while (place > 0) {
      const parent = (place - 1) >>> 1;
      if (compareIds(ids, offset, heap, parent * ID_BYTES) <= 0) break;
      heap.copyWithin(place * ID_BYTES, parent * ID_BYTES, (parent + 1) * ID_BYTES);
      place = parent;
    }
    copyId(ids, offset, heap, place);
  }

  /** Replaces the root with an id and moves it down past greater ones. */
  #sink(ids: Uint8Array, offset: number): void {
    const heap = this.#heap;
    let place = 0;
    for (;;) {
      let child = place * 2 + 1;
      if (child >= this.#count) break;
      if (child + 1 < this.#count && compareIds(heap, (child + 1) * ID_BYTES, heap, child * ID_BYTES) > 0) child += 1;
      if (compareIds(ids, offset, heap, child * ID_BYTES) >= 0) break;
      heap.copyWithin(place * ID_BYTES, child * ID_BYTES, (child + 1) * ID_BYTES);
      place = child;
    }
    copyId(ids, offset, heap, place);
  }

  #makeRoom(): void {
    if (this.#heap.length >= (this.#count + 1) * ID_BYTES) return;
    this.#heap = grown(this.#heap, this.#heap.length * 2);
  }
}

function copyId(ids: Uint8Array, offset: number, heap: Uint8Array, place: number): void {
  for (let at = 0; at < ID_BYTES; at += 1) heap[place * ID_BYTES + at] = ids[offset + at]!;
}
