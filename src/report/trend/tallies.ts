import { addMoney, majorUnits, ZERO, type Money } from "../../answer/money.js";
import { bothTallies, meanOf, NO_NUMBERS, percentileOf, sumOf, tallyOf } from "../../answer/numbers/tally.js";
import { BitSet } from "../../column/bit-set.js";
import type { IdentityView } from "../../identity/identity-view.js";
import type { NumericMeasureType } from "../../plan/insights/input.js";
import { numberOf } from "../../plan/filters/number-form.js";
import { valuesOfKey, type RowKeys } from "../insights/row-keys.js";

/** Makes a figure of events that are added by their items, some at a time. */
export interface MeasureTally {
  /** How many of the added events the figure is made of. */
  readonly counted: number;
  add(item: number, count: number): void;
  figure(): number | null;
  /** Forgets what was added. */
  clear(): void;
  /** Adds what another one of the same question has; absent where that takes the events themselves. */
  join?(other: MeasureTally): void;
}

/** What the figures of a measure are made with. */
export interface Tallies {
  /** A new one, of nothing. */
  tally(): MeasureTally;
}

/** Numbers of events. */
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

/** Distinct identities; items are actors, 0 for nobody. */
export function userTallies(identities: IdentityView): Tallies {
  return { tally: () => distinctTally((actor) => (actor === 0 ? NOBODY : [identities.identityOf(actor)])) };
}

const NOBODY: readonly number[] = [];

/** Distinct values but `""`; items are keys of the measured field. */
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

/** Counts things once, however often they are added. @param thingsOf what an item adds; none: its events do not count */
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

/** Things that are taken out of a set one by one; of more another set is begun. */
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
  // What was added since the last figure is put in order, and then to the rest: running figures look at each number once a bucket.
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

/** Net revenue in a currency; items are numbers of payments. @param amountOf null for one that does not count */
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
