import { dayOf, isoOfDay } from "../../base/time.js";

/** A currency on a day: what a rate is asked for. */
export interface Quote {
  readonly currency: string;
  readonly day: string;
}

/** Of payments in the reporting currency, and of those whose currency is none. */
export const REPORTING = -1;
export const NO_CURRENCY = -2;

/** The quotes that payments need, each once. */
export class Quotes {
  readonly all: Quote[] = [];
  /** Whether some payment is not in the reporting currency. */
  hasOthers = false;
  /** By currency and UTC day. */
  readonly #numbers = new Map<string, Map<number, number>>();

  constructor(readonly reporting: string) {}

  /** The place of a quote among all, or why there is none. */
  numberOf(currency: string, ms: number): number {
    if (currency === this.reporting) return REPORTING;
    this.hasOthers = true;
    let numbers = this.#numbers.get(currency);
    if (numbers === undefined) this.#numbers.set(currency, (numbers = new Map<number, number>()));
    const day = dayOf(ms);
    let number = numbers.get(day);
    if (number === undefined) {
      number = /^[A-Z]{3}$/.test(currency) ? this.all.push({ currency, day: isoOfDay(day).slice(0, 10) }) - 1 : NO_CURRENCY;
      numbers.set(day, number);
    }
    return number;
  }
}
