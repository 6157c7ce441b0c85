import type { Missing } from "../derived/missing.js";
import type { RowsOfMoment } from "../derived/store-table.js";
import { OwnerIndex } from "./owner-index.js";
import type { Touches } from "./touches.js";

/** The touches of each owner (an actor or a company) in order, told apart by ids where they share their millisecond. */
export class TouchIndex {
  readonly #index = new OwnerIndex();
  /** Places that only ids tell apart, which are not read yet. */
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

  /** Begins anew with all touches. */
  build(): void {
    this.#tied.clear();
    this.#index.build(this.touches.count, this.ownerOf, this.#compare);
  }

  add(owner: number, place: number): void {
    this.#index.add(owner, place, this.#compare);
  }

  remove(owner: number, place: number): void {
    this.#index.remove(owner, place);
  }

  /** Whether all are in order; else ids are missing. */
  settle({ rows }: RowsOfMoment, missing: Missing): boolean {
    if (this.#tied.size === 0) return true;
    const { ids } = this.touches;
    const tied = [...this.#tied];
    const events = tied.map((place) => this.touches.eventAt(place)).filter(({ sequence }) => ids.of(sequence) === null);
    if (events.length > 0) {
      missing.add(() => ids.read(events, rows));
      return false;
    }
    this.#tied.clear();
    for (const owner of new Set(tied.map(this.ownerOf))) this.#index.sort(owner, this.#compare);
    return true;
  }

  readonly #compare = (a: number, b: number): number => {
    const order = this.touches.order(a, b);
    if (order === null) this.#tied.add(a).add(b);
    return order ?? a - b;
  };
}
