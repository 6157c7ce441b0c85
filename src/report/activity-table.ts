/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the count */

/** Codes of companies are below this. */
const COMPANY_SPAN = 2 ** 24;

/**
 * How often and until when somebody (an actor or an identity; 0: nobody) was active for a company (0: none): pairs in the
 * order of their first mention, 20 bytes each, and 4 bytes for everybody below the greatest. Nearly everybody is in one
 * pair only, which is found without hashing.
 */
export class ActivityTable {
  whos = new Uint32Array(1024);
  companies = new Uint32Array(1024);
  eventCounts = new Uint32Array(1024);
  newestMs = new Float64Array(1024);
  #count = 0;
  /** Place + 1 of the first pair of each; 0 for none. */
  #firsts = new Uint32Array(1024);
  readonly #others = new Map<number, number>();

  get count(): number {
    return this.#count;
  }

  /** Place of a pair; -1 for none. */
  find(who: number, company: number): number {
    const first = who < this.#firsts.length ? this.#firsts[who]! - 1 : -1;
    if (first === -1 || this.companies[first] === company) return first;
    return this.#others.get(who * COMPANY_SPAN + company) ?? -1;
  }

  add(who: number, company: number, eventCount: number, newestMs: number): void {
    let place = this.find(who, company);
    if (place === -1) place = this.#addPair(who, company);
    this.eventCounts[place]! += eventCount;
    if (newestMs > this.newestMs[place]!) this.newestMs[place] = newestMs;
  }

  /** Without room to grow: nothing is to be added any more. */
  trimmed(): this {
    this.whos = this.whos.slice(0, this.#count);
    this.companies = this.companies.slice(0, this.#count);
    this.eventCounts = this.eventCounts.slice(0, this.#count);
    this.newestMs = this.newestMs.slice(0, this.#count);
    this.#firsts = new Uint32Array(0);
    this.#others.clear();
    return this;
  }

  #addPair(who: number, company: number): number {
    const place = this.#count;
    if (place === this.whos.length) this.#growPairs();
    if (who >= this.#firsts.length) this.#growFirsts(who);
    if (this.#firsts[who] === 0) this.#firsts[who] = place + 1;
    else this.#others.set(who * COMPANY_SPAN + company, place);
    this.whos[place] = who;
    this.companies[place] = company;
    this.#count = place + 1;
    return place;
  }

  #growPairs(): void {
    const grown = <T extends Uint32Array | Float64Array>(from: T, to: T): T => {
      to.set(from);
      return to;
    };
    const capacity = this.whos.length * 2;
    this.whos = grown(this.whos, new Uint32Array(capacity));
    this.companies = grown(this.companies, new Uint32Array(capacity));
    this.eventCounts = grown(this.eventCounts, new Uint32Array(capacity));
    this.newestMs = grown(this.newestMs, new Float64Array(capacity));
  }

  #growFirsts(who: number): void {
    const firsts = new Uint32Array(2 ** Math.ceil(Math.log2(who + 1)));
    firsts.set(this.#firsts);
    this.#firsts = firsts;
  }
}
