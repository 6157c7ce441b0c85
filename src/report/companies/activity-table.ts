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

/**
 * Place + 1 of the first pair of each, 0 for none. Users and anonymous ids apart: who has only even numbers takes no room for the odd ones.
 */
type Firsts = [users: Uint32Array, anonymous: Uint32Array];

// One scratch, zeroed, for the next table; null while a table has it: another one meanwhile makes its own.
let spare: Firsts | null = null;

/** Adds up pairs, in the order of their first mention. Nearly everybody is in one pair only, which is found without hashing. */
export class ActivityTable {
  readonly #firsts: Firsts = spare ?? [new Uint32Array(1024), new Uint32Array(1024)];
  #whos: Uint32Array;
  #companies: Uint32Array;
  #eventCounts: Uint32Array;
  #newestMs: Float64Array;
  #count = 0;
  readonly #others = new Map<number, number>();

  /** @param capacity so many pairs need no room besides */
  constructor(capacity = 1024) {
    spare = null;
    this.#whos = new Uint32Array(capacity);
    this.#companies = new Uint32Array(capacity);
    this.#eventCounts = new Uint32Array(capacity);
    this.#newestMs = new Float64Array(capacity);
  }

  add(who: number, company: number, eventCount: number, newestMs: number): void {
    const place = this.#placeOf(who, company);
    this.#eventCounts[place]! += eventCount;
    if (newestMs > this.#newestMs[place]!) this.#newestMs[place] = newestMs;
  }

  /** All pairs. Ends the table. */
  take(): Activity {
    const count = this.#count;
    const firsts = this.#firsts;
    for (let place = 0; place < count; place += 1) firsts[roleOf(this.#whos[place]!)][this.#whos[place]! >>> 1] = 0;
    spare = firsts;
    return {
      whos: this.#whos.slice(0, count),
      companies: this.#companies.slice(0, count),
      eventCounts: this.#eventCounts.slice(0, count),
      newestMs: this.#newestMs.slice(0, count),
    };
  }

  #placeOf(who: number, company: number): number {
    const role = roleOf(who);
    const firsts = this.#firsts;
    if (who >>> 1 >= firsts[role].length) firsts[role] = grownTo(who >>> 1, firsts[role]);
    const first = firsts[role][who >>> 1]! - 1;
    if (first !== -1 && this.#companies[first] === company) return first;
    const other = first === -1 ? undefined : this.#others.get(pairOf(who, company));
    return other ?? this.#addPair(who, company, first === -1);
  }

  #addPair(who: number, company: number, isFirst: boolean): number {
    const place = this.#count;
    if (place === this.#whos.length) this.#growPairs();
    if (isFirst) this.#firsts[roleOf(who)][who >>> 1] = place + 1;
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
    const capacity = Math.max(1024, this.#whos.length * 4);
    this.#whos = grown(this.#whos, new Uint32Array(capacity));
    this.#companies = grown(this.#companies, new Uint32Array(capacity));
    this.#eventCounts = grown(this.#eventCounts, new Uint32Array(capacity));
    this.#newestMs = grown(this.#newestMs, new Float64Array(capacity));
  }
}

function roleOf(who: number): 0 | 1 {
  return (who & 1) === 0 ? 0 : 1;
}

function grownTo(code: number, firsts: Uint32Array): Uint32Array {
  const grown = new Uint32Array(2 ** Math.ceil(Math.log2(code + 1)));
  grown.set(firsts);
  return grown;
}
