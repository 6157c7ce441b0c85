/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows and places are bounded by their lists */
import { tooManyValues } from "../../answer/too-many-values.js";
import { flatText } from "../../../core/base/flat-text.js";
import { LIMITS } from "../../../core/base/limits.js";
import { compareIds, uuidText } from "../../../core/base/uuid.js";
import { denseCodes } from "../../../storage/column/column.js";
import type { Selector } from "../../filter/predicate.js";
import { select } from "../../filter/select.js";
import type { AggregateItem } from "../../plan/input.js";
import type { Rows } from "../../../storage/segment/rows.js";
import { actorOf } from "../../../storage/segment/actor-triples.js";
import { selectedRows } from "../../filter/selected-rows.js";

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
    const longer = new Uint8Array(this.#heap.length * 2);
    longer.set(this.#heap);
    this.#heap = longer;
  }
}

function copyId(ids: Uint8Array, offset: number, heap: Uint8Array, place: number): void {
  for (let at = 0; at < ID_BYTES; at += 1) heap[place * ID_BYTES + at] = ids[offset + at]!;
}
