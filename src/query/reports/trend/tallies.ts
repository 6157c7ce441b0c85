import { addMoney, majorUnits, ZERO, type Money } from "../../answer/money.js";
import { bothTallies, meanOf, NO_NUMBERS, percentileOf, sumOf, tallyOf } from "../../answer/numbers/tally.js";
import { BitSet } from "../../../storage/column/bitmap.js";
import type { IdentityView } from "../../../identity/identity-view.js";
import type { NumericMeasureType } from "../../plan/insights/input.js";
import { numberOf } from "../../plan/filters/number-form.js";
import { valuesOfKey, type RowKeys } from "../insights/row-keys.js";

/** Computes a figure from events, which are added by item. */
export interface MeasureTally {
  /** Number of added events that contribute to the figure. */
  readonly counted: number;
  add(item: number, count: number): void;
  figure(): number | null;
  clear(): void;
  /** Adds another tally of the same query; absent if the events themselves have to be added. */
  join?(other: MeasureTally): void;
}

/** Creates the tallies of a measure. */
export interface Tallies {
  /** Returns an empty tally. */
  tally(): MeasureTally;
}

/** Counts events. */
export const eventTallies: Tallies = {
  tally: () => {
    let count = 0;
    return {
      get counted() {
        return count;
      },
      add: (_item, more) => (count += more),
      figure: () => count,
      clear: () => (count = 0),
    };
  },
};

/** Counts distinct identities; items are actors, 0 for none. */
export function userTallies(identities: IdentityView): Tallies {
  return { tally: () => distinctTally((actor) => (actor === 0 ? NOBODY : [identities.identityOf(actor)])) };
}

const NOBODY: readonly number[] = [];

/** Counts distinct values except `""`; items are keys of the measured field. */
export function valueTallies(field: RowKeys): Tallies {
  const numbers = new Map<string, number>();
  const known = new Map<number, readonly number[]>();
  const numbersOf = (key: number) => {
    let own = known.get(key);
    if (own === undefined) {
      const texts = valuesOfKey(field, key).map(([text = ""]) => text).filter((text) => text !== "");
      own = texts.map((text) => {
        let number = numbers.get(text);
        if (number === undefined) numbers.set(text, (number = numbers.size));
        return number;
      });
      known.set(key, own);
    }
    return own;
  };
  return { tally: () => distinctTally(numbersOf) };
}

/** Counts distinct things. @param thingsOf what an item adds; if empty, its events do not count */
function distinctTally(thingsOf: (item: number) => readonly number[]): MeasureTally {
  let things = new BitSet(1_024);
  let added: number[] = [];
  let counted = 0;
  return {
    get counted() {
      return counted;
    },
    add: (item, count) => {
      const own = thingsOf(item);
      if (own.length === 0) return;
      counted += count;
      for (const thing of own) if (things.add(thing)) added.push(thing);
    },
    figure: () => added.length,
    clear: () => {
      if (added.length > FEW_THINGS) things = new BitSet(1_024);
      else for (const thing of added) things.remove(thing);
      added = [];
      counted = 0;
    },
  };
}

/** Up to this many things are removed from the set one by one; beyond, a new set is created. */
const FEW_THINGS = 4_096;

const PERCENTS: Readonly<Record<Exclude<NumericMeasureType, "sum" | "avg">, number>> = { min: 0, p25: 25, median: 50, p75: 75, p90: 90, p95: 95, p99: 99, max: 100 };

/** A figure of numbers, exact and rounded once; items are keys of the measured field, each of which stands for one text. */
export function numberTallies(field: RowKeys, type: NumericMeasureType): Tallies {
  const known = new Map<number, number | null>();
  const numberOfKey = (key: number) => {
    let own = known.get(key);
    if (own === undefined) known.set(key, (own = numberOf(valuesOfKey(field, key)[0]?.[0] ?? "")));
    return own;
  };
  return { tally: () => numberTally(numberOfKey, type) };
}

function numberTally(numberOfKey: (key: number) => number | null, type: NumericMeasureType): MeasureTally {
  // Only what was added since the last figure is sorted, then merged: running figures read each number once per bucket.
  let known = NO_NUMBERS;
  const added = new Map<number, number>();
  let counted = 0;
  return {
    get counted() {
      return counted;
    },
    add: (key, count) => {
      const number = numberOfKey(key);
      if (number === null) return;
      counted += count;
      added.set(number, (added.get(number) ?? 0) + count);
    },
    figure: () => {
      known = bothTallies(known, tallyOf(Float64Array.from(added.keys()), Float64Array.from(added.values())));
      added.clear();
      if (type === "sum") return sumOf(known);
      return type === "avg" ? meanOf(known) : percentileOf(known, PERCENTS[type]);
    },
    clear: () => {
      known = NO_NUMBERS;
      added.clear();
      counted = 0;
    },
  };
}

/** Sums net revenue in a currency; items are numbers of payments. @param amountOf null for a payment that does not count */
export function revenueTallies(amountOf: (payment: number) => Money | null, currency: string): Tallies {
  return { tally: () => new RevenueTally(amountOf, currency) };
}

class RevenueTally implements MeasureTally {
  #sum = ZERO;
  counted = 0;

  constructor(
    readonly amountOf: (payment: number) => Money | null,
    readonly currency: string,
  ) {}

  add(payment: number): void {
    const amount = this.amountOf(payment);
    if (amount === null) return;
    this.counted += 1;
    this.#sum = addMoney(this.#sum, amount);
  }

  figure(): number {
    return majorUnits(this.#sum, this.currency);
  }

  clear(): void {
    this.#sum = ZERO;
    this.counted = 0;
  }

  join(other: RevenueTally): void {
    this.#sum = addMoney(this.#sum, other.#sum);
    this.counted += other.counted;
  }
}
