import { isoOfDay } from "../base/time.js";
import type { Rows } from "../segment/rows.js";
import { COMPANY_READER_COLUMNS, CompanyReader } from "./company-rows-reader.js";
import { ENTITY_COLUMNS } from "./entity-facts.js";
import { entityTable } from "./entity-table.js";
import { ZERO, addMoney, majorUnits, majorUnitsPer } from "./money.js";
import type { Money } from "./money.js";
import type { Report, ReportContext } from "./report.js";
import { revenueColumns, revenueTable } from "./revenue-table.js";
import type { Payment } from "./revenue-table.js";
import { isOrder, unconvertedItems } from "./unconverted.js";

interface Cohort {
  entities: number;
  revenue: Money;
  orders: number;
}

/** Everybody with an event in a project, by the month in which they were first seen, and what they ever paid there. */
export const ltvCohorts: Report<"ltvCohorts", { readonly parts: Rows[] }> = {
  keepsRows: true,
  needsCompanies: ({ level }) => level === "account",
  columns: (_plan, { dictionaries }) => [...revenueColumns(dictionaries), ...ENTITY_COLUMNS, ...COMPANY_READER_COLUMNS],
  begin: () => ({ parts: [] }),
  scan: ({ parts }, rows) => void parts.push(rows),
  merge: (into, from) => void into.parts.push(...from.parts),
  finish: ({ parts }, plan, context) => {
    const isAccount = plan.level === "account";
    const { currency } = plan.revenue;
    const { payments } = revenueTable(parts, plan.revenue, context);
    const table = entityTable(parts, isAccount, context);
    const project = context.dictionaries.named("project").codeOf(plan.payProject);
    const cohorts = new Cohorts();
    for (const seen of [table.identities, table.companies]) seen.each(project, (day) => (cohorts.of(day).entities += 1));
    const companyOf = isAccount ? companyFinder(context) : () => 0;
    const counted = payments.filter((payment) => payment.project === project && payment.actor !== 0);
    for (const payment of counted) {
      if (payment.converted === null) continue;
      const identity = context.identities.identityOf(payment.actor);
      const company = companyOf(payment, identity);
      const cohort = cohorts.of(company > 0 ? table.companies.dayOf(company) : table.identities.dayOf(identity));
      cohort.revenue = addMoney(cohort.revenue, payment.converted);
      if (isOrder(payment)) cohort.orders += 1;
    }
    const shown = cohorts.newest(plan.limit).map(([month, { entities, revenue, orders }]) => ({
      cohort: month,
      entities,
      revenue: majorUnits(revenue, currency),
      orders,
      ltv: majorUnitsPer(revenue, entities, currency),
    }));
    return { currency, cohorts: shown, unconverted: unconvertedItems(counted) };
  },
};

/** Cohorts by the month of a day. */
class Cohorts {
  readonly #byMonth = new Map<string, Cohort>();
  readonly #byDay = new Map<number, Cohort>();

  of(day: number): Cohort {
    let cohort = this.#byDay.get(day);
    if (cohort === undefined) {
      const month = isoOfDay(day).slice(0, 7);
      cohort = this.#byMonth.get(month) ?? { entities: 0, revenue: ZERO, orders: 0 };
      this.#byMonth.set(month, cohort);
      this.#byDay.set(day, cohort);
    }
    return cohort;
  }

  newest(limit: number): [string, Cohort][] {
    return [...this.#byMonth].sort(([a], [b]) => (a < b ? 1 : -1)).slice(0, limit);
  }
}

function companyFinder(context: ReportContext): (payment: Payment, identity: number) => number {
  const readers = new Map<Rows, CompanyReader>();
  return ({ rows, row }, identity) => {
    let reader = readers.get(rows);
    if (reader === undefined) {
      reader = new CompanyReader(rows, context);
      readers.set(rows, reader);
    }
    return reader.companyOf(row, identity);
  };
}
