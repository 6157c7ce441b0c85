/* eslint-disable @typescript-eslint/no-non-null-assertion -- codes are bounded by the dictionary */
import { compareCodePoints } from "../base/order.js";
import { isoOf } from "../base/time.js";
import type { TopCompanies } from "../plan/answers.js";
import type { Plan, Range } from "../plan/plan.js";
import type { Rows } from "../segment/rows.js";
import { allTotals, companyActivityOf, partsOfWindow, type CompanyActivity, type CompanyTotals } from "./company-window.js";
import { CompanyReader } from "./company-rows-reader.js";
import { ZERO, addMoney, compareMoney, majorUnits, type Money } from "./money.js";
import type { Report, ReportContext } from "./report.js";
import { revenueColumns, revenueTable, type RevenueTable } from "./revenue-table.js";

/** The companies with events in the window, over all projects. */
export const topCompanies: Report<"topCompanies", { readonly parts: Rows[] }> = {
  keepsRows: true,
  needsCompanies: () => true,
  columns: (_plan, { dictionaries }) => revenueColumns(dictionaries),
  begin: () => ({ parts: [] }),
  scan: ({ parts }, rows) => void parts.push(rows),
  merge: (into, from) => void into.parts.push(...from.parts),
  finish: async ({ parts }, plan, context) => {
    const { window, revenue, limit } = plan;
    const activity = await companyActivityOf(partsOfWindow(parts, window), window, context);
    const totals = allTotals(activity, context);
    const money = moneyByCompany(revenueTable(parts, revenue, context), activity, window, context);
    const order = orderOf(plan, totals, money, context);
    const codes = firstOf(codesWithEvents(totals), limit, order);
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

/** The first `limit` in an order. One comparison for most of those that are not among them. */
function firstOf(codes: readonly number[], limit: number, order: (a: number, b: number) => number): number[] {
  const first: number[] = [];
  for (const code of codes) {
    if (first.length === limit && order(code, first[limit - 1]!) > 0) continue;
    let at = first.length;
    while (at > 0 && order(code, first[at - 1]!) < 0) at -= 1;
    first.splice(at, 0, code);
    if (first.length > limit) first.pop();
  }
  return first;
}

/** What the events of the window brought, by company code. That of whole segments is kept with their members. */
function moneyByCompany(table: RevenueTable, { members, cut }: CompanyActivity, window: Range, context: ReportContext): Money[] {
  const { size } = context.dictionaries.named("companyId");
  const kept = context.memo.of("companyMoney", [table, members], () => {
    const sums = new Array<Money>(size).fill(ZERO);
    addMoneyOf(sums, table, members.parts, window, context);
    return sums;
  });
  const sums = Array.from({ length: size }, (_, company) => kept[company] ?? ZERO);
  addMoneyOf(sums, table, cut, window, context);
  return sums;
}

/** Adds what the events of some segments within the window brought. */
function addMoneyOf(sums: Money[], table: RevenueTable, parts: readonly Rows[], { fromMs, toMs }: Range, context: ReportContext): void {
  const readers = new Map(parts.map((rows) => [rows, new CompanyReader(rows, context)]));
  let last: Rows | null = null;
  let reader: CompanyReader | undefined;
  table.each((rows, row, amount) => {
    if (rows !== last) reader = readers.get(rows);
    last = rows;
    if (reader === undefined) return;
    const ms = reader.msOf(row);
    if (ms < fromMs || ms >= toMs) return;
    const company = reader.companyOf(row, reader.identityOf(row));
    if (company !== 0) sums[company] = addMoney(sums[company]!, amount);
  });
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
