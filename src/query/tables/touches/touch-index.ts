import { LIMITS } from "../../../core/base/limits.js";
import type { PendingLoads } from "../../../storage/derived/pending-loads.js";
import type { RowsOfSnapshot } from "../../../storage/derived/store-table.js";
import { OwnerIndex, ownerListsOf } from "./owner-index.js";
import { areOfOneLabel, firstTouchAt, touchesAtOnce } from "./touch-runs.js";
import type { Touches } from "./touches.js";

/** The index is rebuilt when more than this share of its touches is new: each changed owner takes some hundred bytes. */
const CHANGED_SHARE = 1 / 4;

/** The touches of each owner (an actor or a company) in order; ids decide within a millisecond. */
export class TouchIndex {
  readonly #index = new OwnerIndex();
  /** Positions that share their millisecond with others, so that ids may have to decide. */
  readonly #tied = new Set<number>();

  /** @param ownerOf 0 for none */
  constructor(
    readonly touches: Touches,
    readonly ownerOf: (place: number) => number,
  ) {}

  get byteLength(): number {
    return this.#index.byteLength;
  }

  /** Positions in the touches. Read-only; valid until the next change. */
  of(owner: number): ArrayLike<number> {
    return this.#index.of(owner);
  }

  /** Whether the index must be rebuilt to hold this many touches. @param count of all touches @param heldCount of those that it holds */
  isFarBehind(count: number, heldCount: number): boolean {
    return count - heldCount > LIMITS.placedTouchCount && count - heldCount > heldCount * CHANGED_SHARE;
  }

  /** Orders the first touches, yielding. The returned function replaces the index with them in one step. @param owners by position; 0 for none */
  async build(owners: Uint32Array): Promise<() => void> {
    const lists = await ownerListsOf(owners, this.touches.inOrderCount, { compare: this.#compare, msOf: (place) => this.touches.msOf(place) });
    return () => this.#index.replace(lists);
  }

  clear(): void {
    this.#tied.clear();
    this.#index.clear();
  }

  add(owner: number, place: number): void {
    this.#index.add(owner, place, this.#compare);
  }

  remove(owner: number, place: number): void {
    this.#index.remove(owner, place);
  }

  /** Whether the order is certain wherever labels differ; otherwise ids are missing. */
  settle({ rows }: RowsOfSnapshot, missing: PendingLoads): boolean {
    if (this.#tied.size === 0) return true;
    const { touches } = this;
    const tied = [...this.#tied];
    const unread = this.#unreadBeside(tied).map((place) => touches.eventAt(place));
    if (unread.length > 0) {
      missing.add(() => touches.ids.read(unread, rows));
      return false;
    }
    for (const owner of new Set(tied.map(this.ownerOf))) this.#index.sort(owner, this.#compare);
    this.#tied.clear();
    return true;
  }

  /** The positions whose ids must be read, among these and the others of their milliseconds. */
  #unreadBeside(places: readonly number[]): number[] {
    const { touches } = this;
    const seen = new Set<number>();
    return places.flatMap((place) => {
      if (seen.has(place)) return [];
      const list = this.of(this.ownerOf(place));
      const atOnce = touchesAtOnce(touches, list, firstTouchAt(touches, list, touches.msOf(place)));
      for (const other of atOnce) seen.add(other);
      const isKnown = areOfOneLabel(touches, atOnce) || atOnce.every((other) => touches.areOfOneSegment(place, other));
      // A touch of another label may lie between two of one label, so all must be ordered.
      return isKnown ? [] : atOnce.filter((other) => touches.ids.of(touches.eventAt(other).sequence) === null);
    });
  }

  readonly #compare = (a: number, b: number): number => {
    const { touches } = this;
    const order = touches.order(a, b);
    if (order === null || (touches.labelOf(a) !== touches.labelOf(b) && touches.areAtOnce(a, b))) this.#tied.add(a).add(b);
    return order ?? a - b;
  };
}
