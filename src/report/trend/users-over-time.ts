/* eslint-disable @typescript-eslint/no-non-null-assertion -- entities are below their end */
import type { Extent } from "../../answer/insights/buckets.js";
import type { Measured, SeriesFigures } from "../../answer/insights/measured.js";
import type { IdentityView } from "../../identity/identity-view.js";
import { countIdentities } from "../events/distinct-actors.js";
import type { Subjects } from "../insights/subjects.js";
import { EntitiesOfUnits } from "../returns/entities-of-units.js";
import type { SubjectsByUnit } from "../insights/subjects-by-unit.js";
import type { CellsByUnit } from "../insights/cells-by-unit.js";

/** Distinct identities without a breakdown: bits of actors by unit, in place of a cell for each. */
export class UsersOverTime implements Measured {
  readonly keys = [0];
  readonly isEmpty = false;
  /** By unit: the events that somebody did. */
  readonly #counts: ReadonlyMap<number, number>;

  /** @param events by unit, item 1 for those that somebody did, 0 for others */
  constructor(
    readonly actors: SubjectsByUnit,
    events: CellsByUnit,
    readonly subjects: Subjects,
    readonly identities: IdentityView,
  ) {
    this.#counts = new Map([...events].map(([unitMs, lists]) => [unitMs, lists.reduce((sum, { pairs, counts }) => sum + (pairs.at(-1) === 1 ? counts.at(-1)! : 0), 0)]));
  }

  extent(): Promise<Extent | null> {
    let [firstMs, lastMs] = [Infinity, -Infinity];
    for (const [unitMs, count] of this.#counts) {
      if (count === 0) continue;
      firstMs = Math.min(firstMs, unitMs);
      lastMs = Math.max(lastMs, unitMs);
    }
    return Promise.resolve(firstMs > lastMs ? null : { firstMs, lastMs });
  }

  totalOf(): Promise<number> {
    return Promise.resolve(this.#total());
  }

  async figuresOf(_keys: Float64Array, units: readonly number[], isCumulative: boolean, pause: () => Promise<void>): Promise<SeriesFigures> {
    const countedByUnit = units.map((unitMs) => this.#counts.get(unitMs) ?? 0);
    const data = isCumulative ? await this.#runningTotals(units, pause) : await this.#totals(units, pause);
    return { counted: countedByUnit.reduce((sum, count) => sum + count, 0), total: this.#total(), data, countedByUnit };
  }

  #total(): number {
    return countIdentities([...this.actors.values()].flat(), this.identities);
  }

  async #totals(units: readonly number[], pause: () => Promise<void>): Promise<number[]> {
    const data: number[] = [];
    for (const unitMs of units) {
      data.push(countIdentities(this.actors.get(unitMs) ?? [], this.identities));
      await pause();
    }
    return data;
  }

  async #runningTotals(units: readonly number[], pause: () => Promise<void>): Promise<number[]> {
    const entities = new EntitiesOfUnits(this.subjects);
    const isSeen = new Uint8Array(this.subjects.end);
    const data: number[] = [];
    let count = 0;
    for (const unitMs of units) {
      for (const piece of entities.of(this.actors.get(unitMs) ?? [])) {
        for (let at = 0; at < piece.length; at += 1) {
          if (isSeen[piece[at]!] === 1) continue;
          isSeen[piece[at]!] = 1;
          count += 1;
        }
        await pause();
      }
      data.push(count);
    }
    return data;
  }
}
