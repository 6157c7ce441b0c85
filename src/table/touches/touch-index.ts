import { LIMITS } from "../../base/limits.js";
import type { Missing } from "../../derived/missing.js";
import type { RowsOfMoment } from "../../derived/store-table.js";
import { OwnerIndex, ownerListsOf } from "./owner-index.js";
import { areOfOneLabel, firstTouchAt, touchesAtOnce } from "./touch-runs.js";
import type { Touches } from "./touches.js";

/** The index is made anew where more came since than this share of what it holds: each owner who changed takes some hundred bytes. */
const CHANGED_SHARE = 1 / 4;

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

  /** Whether it is to be made anew before it holds so many touches. @param count of all touches @param heldCount of those that it holds */
  isFarBehind(count: number, heldCount: number): boolean {
    return count - heldCount > LIMITS.placedTouchCount && count - heldCount > heldCount * CHANGED_SHARE;
  }

  /**
   * Puts the first touches in order, in turns. The answer puts them in the place of what it holds, in one.
   * @param owners by place; 0 for nobody
   */
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
