import { dayOf, isoOfDay } from "../../../core/base/time.js";

/** A currency on a day, for which a rate is requested. */
export interface Quote {
  readonly currency: string;
  readonly day: string;
}

/** Quote numbers of payments in the reporting currency, and of payments without a valid currency. */
export const REPORTING = -1;
export const NO_CURRENCY = -2;

/** The quotes that payments need, each once. */
export class Quotes {
  readonly all: Quote[] = [];
  /** Whether any payment is not in the reporting currency. */
  hasOthers = false;
  /** By currency and UTC day. */
  readonly #numbers = new Map<string, Map<number, number>>();

  constructor(readonly reporting: string) {}

  /** The index of a quote in `all`, or `REPORTING` or `NO_CURRENCY`. */
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
