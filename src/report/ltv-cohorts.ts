/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the payments */
import { isoOfDay } from "../base/time.js";
import type { Plan } from "../plan/plan.js";
import type { Rows } from "../segment/rows.js";
import { entitiesWithHeads, sealedEntities } from "./entity-table.js";
import { MoneySums, majorUnits, majorUnitsPer } from "./money.js";
import type { Money } from "./money.js";
import type { NewerEntities } from "./newer-entities.js";
import { paymentCompanies } from "./payment-companies.js";
import type { Report, ReportContext } from "./report.js";
import { revenueTable } from "./revenue-table.js";
import type { RevenueTable } from "./revenue-table.js";
import { isOrder, unconvertedItems } from "./unconverted.js";

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
    for (const [day, count] of entities.countByDay(project)) if (count > 0) cohorts.addEntities(day, count);
    const unconverted = addPayments(cohorts, table, entities, companyOf, project, context);
    const shown = cohorts.newest(plan.limit).map(({ month, entityCount, revenue, orderCount }) => ({
      cohort: month,
      entities: entityCount,
      revenue: majorUnits(revenue, currency),
      orders: orderCount,
      ltv: majorUnitsPer(revenue, entityCount, currency),
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
  const hasLinks = identities.linkCount > 0;
  const { counted, projects, actors, amounts } = payments;
  for (let place = 0; place < payments.count; place += 1) {
    const actor = actors[place]!;
    if (counted[place] === 0 || projects[place] !== project || actor === 0) continue;
    const amount = converted[place]!;
    if (amount === null) {
      unconverted.push(place);
      continue;
    }
    const company = companyOf === null ? 0 : companyOf[place]!;
    const entity = company > 0 ? -company : hasLinks ? identities.identityOf(actor) : actor;
    cohorts.addPayment(entities.dayOf(entity), amount, isOrder(amounts[place]!));
  }
  return unconverted;
}

interface Cohort {
  readonly month: string;
  readonly entityCount: number;
  readonly revenue: Money;
  readonly orderCount: number;
}

/** Cohorts by the month of a day. */
class Cohorts {
  readonly #months: string[] = [];
  readonly #entityCounts: number[] = [];
  readonly #orderCounts: number[] = [];
  readonly #revenue = new MoneySums();
  readonly #placeOfMonth = new Map<string, number>();
  readonly #placeOfDay = new Map<number, number>();

  addEntities(day: number, count: number): void {
    this.#entityCounts[this.#placeOf(day)]! += count;
  }

  addPayment(day: number, amount: Money, isOrder: boolean): void {
    const place = this.#placeOf(day);
    this.#revenue.add(place, amount);
    if (isOrder) this.#orderCounts[place]! += 1;
  }

  newest(limit: Plan<"ltvCohorts">["limit"]): Cohort[] {
    const cohorts = this.#months.map((month, place) => (
      { month, entityCount: this.#entityCounts[place]!, revenue: this.#revenue.of(place), orderCount: this.#orderCounts[place]! }));
    return cohorts.sort((a, b) => (a.month < b.month ? 1 : -1)).slice(0, limit);
  }

  #placeOf(day: number): number {
    let place = this.#placeOfDay.get(day);
    if (place === undefined) {
      place = this.#placeOfNewDay(isoOfDay(day).slice(0, 7));
      this.#placeOfDay.set(day, place);
    }
    return place;
  }

  #placeOfNewDay(month: string): number {
    const known = this.#placeOfMonth.get(month);
    if (known !== undefined) return known;
    const place = this.#months.push(month) - 1;
    this.#entityCounts.push(0);
    this.#orderCounts.push(0);
    this.#placeOfMonth.set(month, place);
    return place;
  }
}
