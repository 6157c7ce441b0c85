/* eslint-disable @typescript-eslint/no-non-null-assertion -- places and numbers are bounded by their lists */
import { numberIn } from "../../../core/base/arrays.js";
import { extentOfUnits, type Extent } from "../../answer/insights/buckets.js";
import type { Measured, SeriesFigures } from "../../answer/insights/trend-answers.js";
import { addMoney, majorUnits, MoneySums, ZERO, type Money } from "../../answer/money.js";
import { Unconverted } from "../../answer/revenue-answers.js";
import type { Range } from "../../plan/plan.js";
import type { Payments } from "../../tables/money/payments.js";
import { unitFinder, type RowCut } from "../insights/row-units.js";

/** Revenue without filters and without a breakdown, from the table of payments: reads no rows. */
export class PaymentsOverTime implements Measured {
  readonly keys = [0];
  readonly isEmpty = false;
  readonly unconverted = new Unconverted();
  /** By start: the number of a unit in which something counts. */
  readonly #numbers = new Map<number, number>();
  readonly #sums = new MoneySums();
  readonly #counts: number[] = [];

  /**
   * Cost: all payments ever made. Must run synchronously with the snapshot of the payments.
   * @param converted the amounts in the currency
   * @param project a code; null for all
   */
  constructor(payments: Payments, converted: readonly (Money | null)[], readonly currency: string, project: number | null, { fromMs, toMs }: Range, cut: RowCut) {
    const { times, counted, projects, amounts, currencies, count } = payments;
    const unitOf = unitFinder(cut);
    let [unitMs, number] = [NaN, 0];
    for (let place = 0; place < count; place += 1) {
      const ms = times[place]!;
      if (counted[place] === 0 || ms < fromMs || ms >= toMs || (project !== null && projects[place] !== project)) continue;
      const amount = converted[place]!;
      if (amount === null) {
        this.unconverted.add(currencies[place]!, amounts[place]!);
        continue;
      }
      const ownMs = unitOf(ms);
      if (ownMs !== unitMs) {
        unitMs = ownMs;
        number = numberIn(this.#numbers, unitMs);
        this.#counts[number] ??= 0;
      }
      this.#sums.add(number, amount);
      this.#counts[number]! += 1;
    }
  }

  extent(): Promise<Extent | null> {
    return Promise.resolve(extentOfUnits(this.#numbers.keys()));
  }

  totalOf(): Promise<number> {
    return Promise.resolve(this.#total());
  }

  async figuresOf(_keys: Float64Array, units: readonly number[], isCumulative: boolean, pause: () => Promise<void>): Promise<SeriesFigures> {
    let sum: Money = ZERO;
    const [data, countedByUnit]: [number[], number[]] = [[], []];
    for (const unitMs of units) {
      await pause();
      const number = this.#numbers.get(unitMs);
      const own = number === undefined ? ZERO : this.#sums.of(number);
      sum = isCumulative ? addMoney(sum, own) : own;
      data.push(majorUnits(sum, this.currency));
      countedByUnit.push(number === undefined ? 0 : this.#counts[number]!);
    }
    return { counted: this.#counts.reduce((all, count) => all + count, 0), total: this.#total(), data, countedByUnit };
  }

  #total(): number {
    return majorUnits(this.#counts.reduce((sum: Money, _, number) => addMoney(sum, this.#sums.of(number)), ZERO), this.currency);
  }
}
