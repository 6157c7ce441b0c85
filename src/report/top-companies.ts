/* eslint-disable @typescript-eslint/no-non-null-assertion -- codes are bounded by the dictionary */
import { assert } from "../base/assert.js";
import { compareCodePoints } from "../base/order.js";
import { isoOf } from "../base/time.js";
import type { Missing } from "../derived/missing.js";
import type { TopCompanies } from "../plan/answers.js";
import type { Plan } from "../plan/plan.js";
import type { Activity } from "./activity-table.js";
import { ACTIVITY_COLUMNS, eachPair, keptActivity, mixedEventsOf, scanActivity, type ActivityState, type MixedEvent } from "./company-activity.js";
import { CompanyTotals } from "./company-totals.js";
import { firstInOrder } from "./first-in-order.js";
import { ZERO, addMoney, compareMoney, majorUnits, type Money } from "./money.js";
import type { Fold, FoldContext } from "./report.js";
import type { TableMoment } from "./tables.js";

interface Read {
  readonly mixed: readonly MixedEvent[];
  /** By company code. */
  readonly money: readonly Money[];
}

/** The companies with events in the window, over all projects. Cost: the ids that were active, and the payments of all time. */
export const topCompanies: Fold<"topCompanies", ActivityState<Read>, Activity, Read> = {
  kind: "fold",
  needsCompanies: () => true,
  columns: () => ACTIVITY_COLUMNS,
  read: (plan, moment, missing) => {
    const mixed = mixedEventsOf(plan.window, moment, missing);
    const money = mixed === null ? null : moneyByCompany(plan, moment, missing);
    return mixed === null || money === null ? null : { mixed, money };
  },
  begin: (_plan, _context, read) => ({ parts: [], read }),
  scan: scanActivity,
  kept: keptActivity,
  finish: (state, plan, context) => {
    const { identities, companies, dictionaries } = context;
    assert(companies !== null, "the report says that it asks companies");
    const totals = new CompanyTotals(dictionaries, identities);
    eachPair(state, identities, companies, totals.add);
    const moneyOf = (code: number) => state.read.money[code] ?? ZERO;
    const codes = firstInOrder(codesWithEvents(totals), plan.limit, orderOf(plan, totals, moneyOf, context));
    return {
      currency: plan.revenue.currency,
      companies: codes.map((code) => ({
        ...namesOf(code, context),
        events: totals.eventCounts[code]!,
        users: totals.userCounts[code]!,
        lastSeen: isoOf(totals.newestMs[code]!),
        revenue: majorUnits(moneyOf(code), plan.revenue.currency),
      })),
    };
  },
};

function codesWithEvents({ eventCounts }: CompanyTotals): number[] {
  const codes: number[] = [];
  for (let code = 1; code < eventCounts.length; code += 1) if (eventCounts[code]! > 0) codes.push(code);
  return codes;
}

/** What the events of the window brought, by company code; null where something is missing. Cost: the payments of all time. */
function moneyByCompany({ window: { fromMs, toMs }, revenue }: Plan<"topCompanies">, moment: TableMoment, missing: Missing): Money[] | null {
  const table = moment.tables.revenue(revenue, moment, missing);
  const companies = moment.tables.paymentCompanies(revenue, moment, missing);
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
  { sort }: Plan<"topCompanies">,
  { userCounts, eventCounts, newestMs }: CompanyTotals,
  moneyOf: (code: number) => Money,
  { dictionaries }: FoldContext,
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

const hostName = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/i;

function namesOf(code: number, { dictionaries, companies }: FoldContext): Pick<TopCompanies["companies"][number], "companyId" | "name" | "domain"> {
  const companyId = dictionaries.named("companyId").valueOf(code);
  const traits = companies?.traitsOf(code) ?? {};
  const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : null);
  return {
    companyId,
    name: text(traits.name) ?? companyId,
    domain: text(traits.domain) ?? (hostName.test(companyId) ? companyId : null),
  };
}
