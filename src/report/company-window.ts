/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the activities */
import { dayStartMs } from "../base/time.js";
import type { Range } from "../plan/plan.js";
import type { Rows } from "../segment/rows.js";
import type { CompanyActivity } from "./company-activity.js";
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
  const counted = new CountedPairs(activities);
  for (const { companies, starts, identities: whos, eventCounts, newestMs } of activities)
    for (let place = 0; place < companies.length; place += 1) {
      const company = companies[place]!;
      let [events, newest, users] = [0, totals.newestMs[company]!, 0];
      for (let at = starts[place]!; at < starts[place + 1]!; at += 1) {
        events += eventCounts[at]!;
        if (newestMs[at]! > newest) newest = newestMs[at]!;
        const identity = whos[at]!;
        if (identity !== 0 && counted.add(identity, company) && identities.isIdentified(identity)) users += 1;
      }
      totals.eventCounts[company]! += events;
      totals.newestMs[company] = newest;
      totals.userCounts[company]! += users;
    }
  return totals;
}

/** Pairs that were met. Nearly every identity is met with one company only, which is found without hashing. */
class CountedPairs {
  readonly #first: Uint32Array;
  readonly #others = new Set<number>();

  constructor(activities: readonly CompanyActivity[]) {
    let max = 0;
    for (const { identities } of activities) for (let at = 0; at < identities.length; at += 1) if (identities[at]! > max) max = identities[at]!;
    this.#first = new Uint32Array(max + 1);
  }

  /** True for a pair that is new. */
  add(identity: number, company: number): boolean {
    const first = this.#first[identity]!;
    if (first === company) return false;
    if (first === 0) {
      this.#first[identity] = company;
      return true;
    }
    const pair = company * this.#first.length + identity;
    if (this.#others.has(pair)) return false;
    this.#others.add(pair);
    return true;
  }
}

/** Somebody who was active for a company. */
export interface CompanyMember {
  readonly identity: number;
  eventCount: number;
  newestMs: number;
}

/** Everybody who was active for a company, nobody apart. Cost: a search in each activity, and the company's pairs. */
export function membersOf(company: number, activities: readonly CompanyActivity[]): CompanyMember[] {
  const byIdentity = new Map<number, CompanyMember>();
  for (const { companies, starts, identities, eventCounts, newestMs } of activities) {
    const place = placeOf(companies, company);
    if (place === -1) continue;
    for (let at = starts[place]!; at < starts[place + 1]!; at += 1) {
      const identity = identities[at]!;
      if (identity === 0) continue;
      const member = byIdentity.get(identity);
      if (member === undefined) byIdentity.set(identity, { identity, eventCount: eventCounts[at]!, newestMs: newestMs[at]! });
      else {
        member.eventCount += eventCounts[at]!;
        member.newestMs = Math.max(member.newestMs, newestMs[at]!);
      }
    }
  }
  return [...byIdentity.values()];
}

function placeOf(companies: Uint32Array, company: number): number {
  let low = 0;
  let high = companies.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (companies[middle]! < company) low = middle + 1;
    else high = middle;
  }
  return companies[low] === company ? low : -1;
}
