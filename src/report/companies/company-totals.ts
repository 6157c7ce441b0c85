/* eslint-disable @typescript-eslint/no-non-null-assertion -- codes are bounded by the dictionary */
import { allocateCodes, type Codes } from "../../column/codes.js";
import type { Dictionaries } from "../../column/dictionaries.js";
import type { IdentityView } from "../../identity/identity-view.js";
import { pairOf } from "./activity-table.js";

/** Sums by company code. */
export class CompanyTotals {
  readonly eventCounts: Float64Array;
  /** Identified identities. */
  readonly userCounts: Float64Array;
  /** Epoch ms; -1 where there are no events. */
  readonly newestMs: Float64Array;
  readonly #counted: CountedPairs;

  constructor(
    dictionaries: Dictionaries,
    readonly identities: IdentityView,
  ) {
    const { size } = dictionaries.named("companyId");
    this.eventCounts = new Float64Array(size);
    this.userCounts = new Float64Array(size);
    this.newestMs = new Float64Array(size).fill(-1);
    this.#counted = new CountedPairs({ users: dictionaries.named("userId").size, anonymous: dictionaries.named("anonymousId").size }, size);
  }

  readonly add = (identity: number, company: number, eventCount: number, newestMs: number): void => {
    this.eventCounts[company]! += eventCount;
    if (newestMs > this.newestMs[company]!) this.newestMs[company] = newestMs;
    if (identity !== 0 && this.#counted.add(identity, company) && this.identities.isIdentified(identity)) this.userCounts[company]! += 1;
  };
}

/** Pairs that were met. Nearly every identity is met with one company only, which is found without hashing. */
class CountedPairs {
  /** The first company of each, by the code of its user id, and of its anonymous id. */
  readonly #users: Codes;
  readonly #anonymous: Codes;
  readonly #others = new Set<number>();

  /** @param companyCount codes of companies are below it */
  constructor({ users, anonymous }: { readonly users: number; readonly anonymous: number }, companyCount: number) {
    // Narrow codes stay in the processor's cache.
    this.#users = allocateCodes(users, Math.max(companyCount, 256));
    this.#anonymous = allocateCodes(anonymous, Math.max(companyCount, 256));
  }

  /** True for a pair that is new. */
  add(identity: number, company: number): boolean {
    const firsts = (identity & 1) === 0 ? this.#users : this.#anonymous;
    const first = firsts[identity >>> 1]!;
    if (first === company) return false;
    if (first === 0) {
      firsts[identity >>> 1] = company;
      return true;
    }
    const pair = pairOf(identity, company);
    if (this.#others.has(pair)) return false;
    this.#others.add(pair);
    return true;
  }
}
