/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the count */
import type { RankedBits } from "../../column/ranked-bits.js";

/** Codes of companies are below this. */
const COMPANY_SPAN = 2 ** 24;

/** How often and until when somebody (an actor or an identity; 0: nobody) was active for a company (0: none): 20 bytes a pair. */
export interface Activity {
  readonly whos: Uint32Array;
  readonly companies: Uint32Array;
  readonly eventCounts: Uint32Array;
  /** Epoch ms. */
  readonly newestMs: Float64Array;
  /** Absent: the pairs are in no order. */
  readonly groups?: ActivityGroups;
}

/** In which order pairs lie: first those without a company, by actor, then those of each company. */
export interface ActivityGroups {
  /** The actors of the pairs without a company: each has one, at the place of its rank. */
  readonly plain: RankedBits;
  /** Where the pairs of each company begin, from company 1 on, and one more behind the last. */
  readonly starts: Uint32Array;
}

/** Somebody and a company in one number. */
export function pairOf(who: number, company: number): number {
  return who * COMPANY_SPAN + company;
}

// One scratch for all tables: place + 1 of the first pair of each, 0 for none; `take` leaves it zeroed. Users and anonymous
// ids apart: who has only even numbers takes no room for the odd ones.
const firsts: [users: Uint32Array, anonymous: Uint32Array] = [new Uint32Array(1024), new Uint32Array(1024)];

/**
 * Adds up the pairs of one segment, in the order of their first mention. Nearly everybody is in one pair only, which is found
 * without hashing. One table at a time: it is filled and taken within one turn.
 */
export class ActivityTable {
  #whos = new Uint32Array(1024);
  #companies = new Uint32Array(1024);
  #eventCounts = new Uint32Array(1024);
  #newestMs = new Float64Array(1024);
  #count = 0;
  readonly #others = new Map<number, number>();

  add(who: number, company: number, eventCount: number, newestMs: number): void {
    const place = this.#placeOf(who, company);
    this.#eventCounts[place]! += eventCount;
    if (newestMs > this.#newestMs[place]!) this.#newestMs[place] = newestMs;
  }

  /** All pairs. The table is empty then. */
  take(): Activity {
    const count = this.#count;
    for (let place = 0; place < count; place += 1) firsts[roleOf(this.#whos[place]!)][this.#whos[place]! >>> 1] = 0;
    this.#count = 0;
    this.#others.clear();
    return {
      whos: this.#whos.slice(0, count),
      companies: this.#companies.slice(0, count),
      eventCounts: this.#eventCounts.slice(0, count),
      newestMs: this.#newestMs.slice(0, count),
    };
  }

  #placeOf(who: number, company: number): number {
    const role = roleOf(who);
    if (who >>> 1 >= firsts[role].length) growFirsts(role, who >>> 1);
    const first = firsts[role][who >>> 1]! - 1;
    if (first !== -1 && this.#companies[first] === company) return first;
    const other = first === -1 ? undefined : this.#others.get(pairOf(who, company));
    return other ?? this.#addPair(who, company, first === -1);
  }

  #addPair(who: number, company: number, isFirst: boolean): number {
    const place = this.#count;
    if (place === this.#whos.length) this.#growPairs();
    if (isFirst) firsts[roleOf(who)][who >>> 1] = place + 1;
    else this.#others.set(pairOf(who, company), place);
    this.#whos[place] = who;
    this.#companies[place] = company;
    this.#eventCounts[place] = 0;
    this.#newestMs[place] = 0;
    this.#count = place + 1;
    return place;
  }

  #growPairs(): void {
    const grown = <T extends Uint32Array | Float64Array>(from: T, to: T): T => {
      to.set(from);
      return to;
    };
    const capacity = this.#whos.length * 4;
    this.#whos = grown(this.#whos, new Uint32Array(capacity));
    this.#companies = grown(this.#companies, new Uint32Array(capacity));
    this.#eventCounts = grown(this.#eventCounts, new Uint32Array(capacity));
    this.#newestMs = grown(this.#newestMs, new Float64Array(capacity));
  }
}

function roleOf(who: number): 0 | 1 {
  return (who & 1) === 0 ? 0 : 1;
}

function growFirsts(role: 0 | 1, code: number): void {
  const grown = new Uint32Array(2 ** Math.ceil(Math.log2(code + 1)));
  grown.set(firsts[role]);
  firsts[role] = grown;
}
