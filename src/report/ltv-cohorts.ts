/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the payments */
import { isoOfDay } from "../base/time.js";
import type { Plan } from "../plan/plan.js";
import type { Rows } from "../segment/rows.js";
import { entitiesWithHeads, sealedEntities } from "./entity-table.js";
import { ZERO, addMoney, majorUnits, majorUnitsPer } from "./money.js";
import type { Money } from "./money.js";
import type { NewerEntities } from "./newer-entities.js";
import { paymentCompanies } from "./payment-companies.js";
import type { Report, ReportContext } from "./report.js";
import { revenueTable } from "./revenue-table.js";
import type { RevenueTable } from "./revenue-table.js";
import { isOrder, unconvertedItems } from "./unconverted.js";

interface Cohort {
  entities: number;
  revenue: Money;
  orders: number;
}

/**
 * Everybody with an event in a project, by the month in which they were first seen, and what they ever paid there.
 * Cost: 30 ns a payment, and 60 a row that heads got since; after a seal, a link or a question about another project besides
 * 10 ns for every user and those in heads anew, after a seal another 20 ns for every user and day.
 */
export const ltvCohorts: Report<"ltvCohorts", { readonly parts: Rows[] }> = {
  keepsRows: true,
  needsCompanies: ({ level }) => level === "account",
  columns: () => [],
  begin: () => ({ parts: [] }),
  scan: ({ parts }, rows) => void parts.push(rows),
  merge: (into, from) => void into.parts.push(...from.parts),
  finish: async ({ parts }, plan, context) => {
    const { currency } = plan.revenue;
    const project = context.dictionaries.named("project").codeOf(plan.payProject);
    const table = await revenueTable(parts, plan.revenue, context);
    const companyOf = context.companies === null ? null : await paymentCompanies(table.payments, context);
    const base = await sealedEntities(parts, context);
    const entities = entitiesWithHeads(base, parts, context);
    const cohorts = new Cohorts();
    for (const [day, count] of entities.countByDay(project)) if (count > 0) cohorts.of(day).entities += count;
    const unconverted = addPayments(cohorts, table, entities, companyOf, project, context);
    const shown = cohorts.newest(plan.limit).map(([month, cohort]) => ({
      cohort: month,
      entities: cohort.entities,
      revenue: majorUnits(cohort.revenue, currency),
      orders: cohort.orders,
      ltv: majorUnitsPer(cohort.revenue, cohort.entities, currency),
    }));
    return { currency, cohorts: shown, unconverted: unconvertedItems(table, unconverted) };
  },
};

/** Adds what each counted payment of a project brought to the cohort of its entity; answers the places of those without a rate. */
function addPayments(
  cohorts: Cohorts,
  { payments, converted }: RevenueTable,
  entities: NewerEntities,
  companyOf: Uint32Array | null,
  project: number,
  { identities }: ReportContext,
): number[] {
  const unconverted: number[] = [];
  for (let place = 0; place < payments.count; place += 1) {
    const actor = payments.actors[place]!;
    if (payments.counted[place] === 0 || payments.projects[place] !== project || actor === 0) continue;
    const amount = converted[place]!;
    if (amount === null) {
      unconverted.push(place);
      continue;
    }
    const company = companyOf === null ? 0 : companyOf[place]!;
    const cohort = cohorts.of(entities.dayOf(company > 0 ? -company : identities.identityOf(actor)));
    cohort.revenue = addMoney(cohort.revenue, amount);
    if (isOrder(payments.amounts[place]!)) cohort.orders += 1;
  }
  return unconverted;
}

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

  newest(limit: Plan<"ltvCohorts">["limit"]): [string, Cohort][] {
    return [...this.#byMonth].sort(([a], [b]) => (a < b ? 1 : -1)).slice(0, limit);
  }
}
