/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the count */
import type { RankedBits } from "../../../storage/column/bitmap.js";

/** Exclusive upper bound of company codes. */
const COMPANY_SPAN = 2 ** 24;

/** Event count and latest event by pair of an actor or identity (0: none) and a company (0: none): 20 bytes per pair. */
export interface Activity {
  readonly whos: Uint32Array;
  readonly companies: Uint32Array;
  readonly eventCounts: Uint32Array;
  /** Epoch ms. */
  readonly newestMs: Float64Array;
  /** Absent: the pairs are unordered. */
  readonly groups?: ActivityGroups;
}

/** The order of pairs: those without a company by actor, then those of each company. */
export interface ActivityGroups {
  /** The actors of the pairs without a company; an actor's rank is the index of its pair. */
  readonly plain: RankedBits;
  /** Start index of each company's pairs, from company 1 on, and the end of the last one's. */
  readonly starts: Uint32Array;
}

/** An actor or identity and a company as one number. */
export function pairOf(who: number, company: number): number {
  return who * COMPANY_SPAN + company;
}

/** Index + 1 of the first pair of each actor or identity, 0 for none. Split by role: if all numbers are even, odd ones take no space. */
type Firsts = [users: Uint32Array, anonymous: Uint32Array];

// One shared, zeroed scratch array; null while a table uses it, so that a second table allocates its own.
let spare: Firsts | null = null;

/** Sums up pairs, in order of first occurrence. Almost every actor has a single pair, which is found without hashing. */
export class ActivityTable {
  readonly #firsts: Firsts = spare ?? [new Uint32Array(1024), new Uint32Array(1024)];
  #whos: Uint32Array;
  #companies: Uint32Array;
  #eventCounts: Uint32Array;
  #newestMs: Float64Array;
  #count = 0;
  readonly #others = new Map<number, number>();

  /** @param capacity number of pairs before the table grows */
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

  /** Returns all pairs. Do not use the table afterwards. */
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
