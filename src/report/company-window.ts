/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the activities */
import { dayStartMs } from "../base/time.js";
import { allocateCodes, type Codes } from "../column/codes.js";
import type { Range } from "../plan/plan.js";
import type { Rows } from "../segment/rows.js";
import { ActivityTable, pairOf, type Activity } from "./activity-table.js";
import { placesOfCompany, type CompanyActivity } from "./company-activity.js";
import type { ReportContext } from "./report.js";

/** Sums by company code. */
export interface CompanyTotals {
  readonly eventCounts: Float64Array;
  /** Identified identities. */
  readonly userCounts: Float64Array;
  /** Epoch ms; -1 where there are no events. */
  readonly newestMs: Float64Array;
}

/** The segments and heads with rows in a window. */
export function partsOfWindow(parts: readonly Rows[], { fromMs, toMs }: Range): Rows[] {
  return parts.filter(({ day, minMs, maxMs }) => dayStartMs(day) + maxMs >= fromMs && dayStartMs(day) + minMs < toMs);
}

/** Sums over the activities of a window. Cost: their pairs, a few nanoseconds each. */
export function totalsOf(activities: readonly CompanyActivity[], { dictionaries, identities }: ReportContext): CompanyTotals {
  const { size } = dictionaries.named("companyId");
  const totals = { eventCounts: new Float64Array(size), userCounts: new Float64Array(size), newestMs: new Float64Array(size).fill(-1) };
  const counted = new CountedPairs({ users: dictionaries.named("userId").size, anonymous: dictionaries.named("anonymousId").size }, size);
  for (const { companies, starts, identities: whos, companyEventCounts, companyNewestMs } of activities)
    for (let place = 0; place < companies.length; place += 1) {
      const company = companies[place]!;
      let users = 0;
      for (let at = starts[place]!; at < starts[place + 1]!; at += 1) {
        const identity = whos[at]!;
        if (identity !== 0 && counted.add(identity, company) && identities.isIdentified(identity)) users += 1;
      }
      totals.eventCounts[company]! += companyEventCounts[place]!;
      totals.newestMs[company] = Math.max(totals.newestMs[company]!, companyNewestMs[place]!);
      totals.userCounts[company]! += users;
    }
  return totals;
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

/** Everybody who was active for a company, nobody apart. Cost: a search in each activity, and the company's pairs. */
export function membersOf(company: number, activities: readonly CompanyActivity[]): Activity {
  const members = new ActivityTable();
  for (const { companies, starts, identities, eventCounts, newestMs } of activities) {
    const [place, end] = placesOfCompany(companies, company);
    for (let at = starts[place]!; at < starts[end]!; at += 1)
      if (identities[at] !== 0) members.add(identities[at]!, company, eventCounts[at]!, newestMs[at]!);
  }
  return members.take();
}
