import type { Missing } from "../../derived/missing.js";
import type { RowsOfMoment } from "../../derived/store-table.js";
import { OwnerIndex } from "./owner-index.js";
import { areOfOneLabel, firstTouchAt, touchesAtOnce } from "./touch-runs.js";
import type { Touches } from "./touches.js";

/** The touches of each owner (an actor or a company) in order, told apart by ids where they share their millisecond. */
export class TouchIndex {
  readonly #index = new OwnerIndex();
  /** Of places that share their millisecond with others: perhaps only ids tell them apart. */
  readonly #tied = new Set<number>();

  /** @param ownerOf 0 for nobody */
  constructor(
    readonly touches: Touches,
    readonly ownerOf: (place: number) => number,
  ) {}

  get byteLength(): number {
    return this.#index.byteLength;
  }

  /** Places in the touches. Not to be changed; valid until the next change. */
  of(owner: number): ArrayLike<number> {
    return this.#index.of(owner);
  }

  /** Begins anew with all touches. @param owners by place; 0 for nobody */
  build(owners: Uint32Array): void {
    this.#tied.clear();
    this.#index.build(owners, this.touches.inOrderCount, this.#compare);
  }

  add(owner: number, place: number): void {
    this.#index.add(owner, place, this.#compare);
  }

  remove(owner: number, place: number): void {
    this.#index.remove(owner, place);
  }

  /** Whether all are in order as far as labels show it; else ids are missing. */
  settle({ rows }: RowsOfMoment, missing: Missing): boolean {
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

  /** Of places and those at their millisecond: whose ids are to be read. */
  #unreadBeside(places: readonly number[]): number[] {
    const { touches } = this;
    const seen = new Set<number>();
    return places.flatMap((place) => {
      if (seen.has(place)) return [];
      const list = this.of(this.ownerOf(place));
      const atOnce = touchesAtOnce(touches, list, firstTouchAt(touches, list, touches.msOf(place)));
      for (const other of atOnce) seen.add(other);
      const isKnown = areOfOneLabel(touches, atOnce) || atOnce.every((other) => touches.areOfOneSegment(place, other));
      // Between two of one label lies perhaps one of another: all are to be told apart.
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
