/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the payments */
import { isoOfDay } from "../base/time.js";
import type { Plan } from "../plan/plan.js";
import type { Entities } from "./entities.js";
import { MoneySums, majorUnits, majorUnitsPer } from "./money.js";
import type { Money } from "./money.js";
import type { PaymentCompanies } from "./payment-companies.js";
import type { Study } from "./report.js";
import type { RevenueTable } from "./revenue-table.js";
import type { TableMoment } from "./tables.js";
import { isOrder, unconvertedItems } from "./unconverted.js";

/**
 * Everybody with an event in a project, by the month in which they were first seen, and what they ever paid there.
 * Cost: 30 ns a payment, and what concerns the rows, links and memberships that came since.
 */
export const ltvCohorts: Study<"ltvCohorts"> = {
  kind: "study",
  needsCompanies: ({ level }) => level === "account",
  tables: ({ level }) => (level === "account" ? ["entities", "payments", "memberships"] : ["entities", "payments"]),
  answer: (plan, moment, missing) => {
    const { currency } = plan.revenue;
    const project = moment.dictionaries.named("project").codeOf(plan.payProject);
    const table = moment.tables.revenue(plan.revenue, moment, missing);
    const companies = plan.level === "account" ? moment.tables.paymentCompanies(plan.revenue, moment, missing) : null;
    const entities = moment.tables.entities(plan.level, moment, missing);
    if (table === null || entities === null || (companies === null && plan.level === "account")) return null;
    const cohorts = new Cohorts();
    for (const [day, count] of entities.countByDay(project)) if (count > 0) cohorts.addEntities(day, count);
    const unconverted = addPayments(cohorts, table, entities, companies, project, moment);
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
  table: RevenueTable,
  entities: Entities,
  companies: PaymentCompanies | null,
  project: number,
  { identities, rates }: TableMoment,
): number[] {
  const unconverted: number[] = [];
  const hasLinks = identities.linkCount > 0;
  const { payments } = table;
  const converted = table.converted(rates);
  const { counted, projects, actors, amounts } = payments;
  for (let place = 0; place < payments.count; place += 1) {
    const actor = actors[place]!;
    if (counted[place] === 0 || projects[place] !== project || actor === 0) continue;
    const amount = converted[place]!;
    if (amount === null) {
      unconverted.push(place);
      continue;
    }
    const company = companies === null ? 0 : companies.of(place);
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
