/* eslint-disable @typescript-eslint/no-non-null-assertion -- codes are bounded by the dictionary */
import { compareCodePoints } from "../base/order.js";
import { isoOf } from "../base/time.js";
import type { TopCompanies } from "../plan/answers.js";
import type { Plan, Range } from "../plan/plan.js";
import type { Rows } from "../segment/rows.js";
import { companyActivities } from "./company-activity.js";
import { partsOfWindow, totalsOf, type CompanyTotals } from "./company-window.js";
import { firstInOrder } from "./first-in-order.js";
import { ZERO, addMoney, compareMoney, majorUnits, type Money } from "./money.js";
import { paymentCompanies } from "./payment-companies.js";
import type { Report, ReportContext } from "./report.js";
import { revenueTable, type RevenueTable } from "./revenue-table.js";

/** The companies with events in the window, over all projects. */
export const topCompanies: Report<"topCompanies", { readonly parts: Rows[] }> = {
  keepsRows: true,
  needsCompanies: () => true,
  columns: () => [],
  begin: () => ({ parts: [] }),
  scan: ({ parts }, rows) => void parts.push(rows),
  merge: (into, from) => void into.parts.push(...from.parts),
  finish: async ({ parts }, plan, context) => {
    const { window, revenue, limit } = plan;
    const totals = totalsOf(await companyActivities(partsOfWindow(parts, window), window, context), context);
    const money = await moneyByCompany(await revenueTable(parts, revenue, context), window, context);
    const order = orderOf(plan, totals, money, context);
    const codes = firstInOrder(codesWithEvents(totals), limit, order);
    return {
      currency: revenue.currency,
      companies: codes.map((code) => ({
        ...namesOf(code, context),
        events: totals.eventCounts[code]!,
        users: totals.userCounts[code]!,
        lastSeen: isoOf(totals.newestMs[code]!),
        revenue: majorUnits(money[code]!, revenue.currency),
      })),
    };
  },
};

function codesWithEvents({ eventCounts }: CompanyTotals): number[] {
  const codes: number[] = [];
  for (let code = 1; code < eventCounts.length; code += 1) if (eventCounts[code]! > 0) codes.push(code);
  return codes;
}

/** What the events of the window brought, by company code. Cost: the payments of all time. */
async function moneyByCompany({ payments, converted }: RevenueTable, { fromMs, toMs }: Range, context: ReportContext): Promise<Money[]> {
  const companies = await paymentCompanies(payments, context);
  const sums = new Array<Money>(context.dictionaries.named("companyId").size).fill(ZERO);
  const { times, counted } = payments;
  for (let place = 0; place < payments.count; place += 1) {
    const company = companies[place]!;
    const amount = converted[place]!;
    const ms = times[place]!;
    if (company !== 0 && counted[place] === 1 && amount !== null && ms >= fromMs && ms < toMs)
      sums[company] = addMoney(sums[company]!, amount);
  }
  return sums;
}

function orderOf(
  { sort }: Plan<"topCompanies">,
  { userCounts, eventCounts, newestMs }: CompanyTotals,
  money: readonly Money[],
  { dictionaries }: ReportContext,
): (a: number, b: number) => number {
  const ids = dictionaries.named("companyId");
  const first = {
    users: () => 0,
    events: (a: number, b: number) => eventCounts[b]! - eventCounts[a]!,
    last_seen: (a: number, b: number) => newestMs[b]! - newestMs[a]!,
    revenue: (a: number, b: number) => compareMoney(money[b]!, money[a]!),
  }[sort];
  return (a, b) =>
    first(a, b) ||
    userCounts[b]! - userCounts[a]! ||
    eventCounts[b]! - eventCounts[a]! ||
    newestMs[b]! - newestMs[a]! ||
    compareCodePoints(ids.valueOf(a), ids.valueOf(b));
}

const hostName = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/i;

function namesOf(code: number, { dictionaries, companies }: ReportContext): Pick<TopCompanies["companies"][number], "companyId" | "name" | "domain"> {
  const companyId = dictionaries.named("companyId").valueOf(code);
  const traits = companies?.traitsOf(code) ?? {};
  const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : null);
  return {
    companyId,
    name: text(traits.name) ?? companyId,
    domain: text(traits.domain) ?? (hostName.test(companyId) ? companyId : null),
  };
}
