/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by their lists */
import { assert, parameterError, shown } from "../../../core/base/errors.js";
import { compareCodePoints } from "../../../core/base/text-order.js";
import { runYielding } from "../../../core/base/yield.js";
import type { TopCompanies, CompanyTopUsers } from "../../plan/answers.js";
import { isoOf } from "../../../core/base/time.js";
import type { PendingLoads } from "../../../storage/derived/pending-loads.js";
import type { TopCompaniesPlan, CompanyTopUsersPlan } from "../../plan/plan.js";
import { companyNames } from "../../answer/company-names.js";
import { firstInOrder } from "../../answer/ranked-items.js";
import { ZERO, addMoney, compareMoney, majorUnits, type Money } from "../../answer/money.js";
import type { TableSnapshot } from "../../tables/tables.js";
import { allocateCodes, type Codes } from "../../../storage/column/codes.js";
import type { Dictionaries } from "../../../storage/column/dictionaries.js";
import type { IdentityView } from "../../../identity/identity-view.js";
import { onePass, type Report, type RowContext } from "../form/report.js";
import { activityPass, ActivityTable, eachPair, eachPairOf, mixedEventsOf, pairOf } from "./company-activity.js";
import { BitSet } from "../../../storage/column/bitmap.js";

class CompanyTotals {
  readonly eventCounts: Float64Array;
  /** Number of identified identities. */
  readonly userCounts: Float64Array;
  /** Epoch ms; -1 if there are no events. */
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

  add(identity: number, company: number, eventCount: number, newestMs: number): void {
    this.eventCounts[company]! += eventCount;
    if (newestMs > this.newestMs[company]!) this.newestMs[company] = newestMs;
    if (identity !== 0 && this.#counted.add(identity, company) && this.identities.isIdentified(identity)) this.userCounts[company]! += 1;
  }
}

/** Pairs seen so far. Almost every identity has a single company, which is found without hashing. */
class CountedPairs {
  /** The first company of each identity, by code of its user id or anonymous id. */
  readonly #users: Codes;
  readonly #anonymous: Codes;
  readonly #others = new Set<number>();

  /** @param companyCount exclusive upper bound of company codes */
  constructor({ users, anonymous }: { readonly users: number; readonly anonymous: number }, companyCount: number) {
    // Narrow codes stay in the processor's cache.
    this.#users = allocateCodes(users, Math.max(companyCount, 256));
    this.#anonymous = allocateCodes(anonymous, Math.max(companyCount, 256));
  }

  /** Returns whether the pair is new. */
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

/** The companies with events in the window, over all projects. Cost: the active ids, and all payments ever made. */
export const topCompanies: Report<TopCompaniesPlan, TopCompanies> = {
  needsCompanies: () => true,
  readsTables: true,
  prepare: (plan, context, pending) => {
    const mixed = mixedEventsOf(plan.window, context, pending);
    /** By company code. */
    const money = mixed === null ? null : moneyByCompany(plan, context, pending);
    if (mixed === null || money === null) return null;
    const { identities, companies, dictionaries, pause } = context;
    assert(companies !== null, "companies were loaded (needsCompanies)");
    const totals = new CompanyTotals(dictionaries, identities);
    const add = (actor: number, own: number, eventCount: number, newestMs: number) => {
      const identity = identities.identityOf(actor);
      const company = own || companies.onlyCompany(identity);
      if (company > 0) totals.add(identity, company, eventCount, newestMs);
    };
    for (const { identity, company, ms } of mixed) totals.add(identity, company, 1, ms);
    return onePass(activityPass(plan, (actor, own, ms) => add(actor, own, 1, ms)), async ({ parts }) => {
      await runYielding(eachPair(parts, add), pause);
      const moneyOf = (code: number) => money[code] ?? ZERO;
      const codes = firstInOrder(codesWithEvents(totals), plan.limit, orderOf(plan, totals, moneyOf, context));
      return {
        currency: plan.revenue.currency,
        companies: codes.map((code) => ({
          ...companyNames(dictionaries.named("companyId").valueOf(code), companies.traitsOf(code) ?? {}),
          events: totals.eventCounts[code]!,
          users: totals.userCounts[code]!,
          lastSeen: isoOf(totals.newestMs[code]!),
          revenue: majorUnits(moneyOf(code), plan.revenue.currency),
        })),
      };
    });
  },
};

function codesWithEvents({ eventCounts }: CompanyTotals): number[] {
  const codes: number[] = [];
  for (let code = 1; code < eventCounts.length; code += 1) if (eventCounts[code]! > 0) codes.push(code);
  return codes;
}

/** Revenue of the window by company code; null if something is missing. Cost: all payments ever made. */
function moneyByCompany({ window: { fromMs, toMs }, revenue }: TopCompaniesPlan, moment: TableSnapshot, pending: PendingLoads): Money[] | null {
  const table = moment.tables.revenue(revenue, moment, pending);
  const companies = moment.tables.paymentCompanies(revenue, moment, pending);
  if (table === null || companies === null) return null;
  const converted = table.converted(moment.rates);
  const sums: Money[] = [];
  const { times, counted, count } = table.payments;
  for (let place = 0; place < count; place += 1) {
    const company = companies.of(place);
    const amount = converted[place]!;
    const ms = times[place]!;
    if (company !== 0 && counted[place] === 1 && amount !== null && ms >= fromMs && ms < toMs) sums[company] = addMoney(sums[company] ?? ZERO, amount);
  }
  return sums;
}

function orderOf(
  { sort }: TopCompaniesPlan,
  { userCounts, eventCounts, newestMs }: CompanyTotals,
  moneyOf: (code: number) => Money,
  { dictionaries }: RowContext,
): (a: number, b: number) => number {
  const ids = dictionaries.named("companyId");
  const first = {
    users: () => 0,
    events: (a: number, b: number) => eventCounts[b]! - eventCounts[a]!,
    last_seen: (a: number, b: number) => newestMs[b]! - newestMs[a]!,
    revenue: (a: number, b: number) => compareMoney(moneyOf(b), moneyOf(a)),
  }[sort];
  return (a, b) =>
    first(a, b) ||
    userCounts[b]! - userCounts[a]! ||
    eventCounts[b]! - eventCounts[a]! ||
    newestMs[b]! - newestMs[a]! ||
    compareCodePoints(ids.valueOf(a), ids.valueOf(b));
}

/** The identified identities most active for a company in the window. Cost: the ids active for it, and its members. */
export const companyTopUsers: Report<CompanyTopUsersPlan, CompanyTopUsers> = {
  needsCompanies: () => true,
  readsTables: true,
  prepare: (plan, context, pending) => {
    const { companyId, window, limit } = plan;
    const { dictionaries, companies, ends, identities } = context;
    const company = dictionaries.named("companyId").codeOf(companyId);
    if (company === 0 || company >= ends.companies || companies?.has(company) !== true)
      throw parameterError("company_not_found", "companyId", `no company has the id ${shown(companyId)}`);
    const mixed = mixedEventsOf(window, context, pending);
    if (mixed === null) return null;
    /** Actors whose events without a company belong to this company. */
    const members = actorsOf(companies.membersOf(company), identities);
    const found = new ActivityTable();
    const add = (actor: number, eventCount: number, newestMs: number) => {
      if (actor !== 0) found.add(identities.identityOf(actor), company, eventCount, newestMs);
    };
    for (const event of mixed) if (event.company === company) add(event.identity, 1, event.ms);
    const visit = (actor: number, own: number, ms: number) => {
      if (own === company || (own === 0 && members.has(actor))) add(actor, 1, ms);
    };
    return onePass(activityPass(plan, visit), ({ parts }) => {
      eachPairOf(company, parts, members, add);
      const { actors, eventCounts, newestMs } = found.take();
      const identifierOf = identifiers(context);
      const order = (a: number, b: number) =>
        eventCounts[b]! - eventCounts[a]! ||
        newestMs[b]! - newestMs[a]! ||
        compareCodePoints(identifierOf(actors[a]!), identifierOf(actors[b]!));
      const identified: number[] = [];
      for (let place = 0; place < actors.length; place += 1) if (identities.isIdentified(actors[place]!)) identified.push(place);
      // Without a limit, a sort is faster than inserting one by one.
      const places = limit === null ? identified.sort(order) : firstInOrder(identified, limit, order);
      const users = places.map((place) =>
        ({ resolvedIdentifier: identifierOf(actors[place]!), events: eventCounts[place]!, lastSeen: isoOf(newestMs[place]!) }));
      return { companyId, users };
    });
  },
};

function actorsOf(members: Iterable<number>, identities: IdentityView): BitSet {
  const actors = new BitSet();
  for (const identity of members) for (const actor of identities.actorsOf(identity)) actors.add(actor);
  return actors;
}

/** Resolved identifiers, each looked up once, and only if it is shown or breaks a tie. */
function identifiers({ identities }: RowContext): (identity: number) => string {
  const known = new Map<number, string>();
  return (identity) => {
    const identifier = known.get(identity) ?? identities.resolvedIdentifier(identity) ?? "";
    known.set(identity, identifier);
    return identifier;
  };
}
