/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the payments */
import { Cohorts } from "../../answer/cohorts.js";
import { Unconverted, isOrder } from "../../answer/attribution.js";
import type { PaymentCompanies } from "../../tables/money/payment-companies.js";
import type { RevenueTable } from "../../tables/money/revenue-table.js";
import type { Entities } from "../../tables/people/entities.js";
import type { TableSnapshot } from "../../tables/tables.js";
import type { Study } from "../form/report.js";

/**
 * All entities with an event in a project, by the month in which they were first seen, and what they ever paid there.
 * Cost: 30 ns per payment, and the rows, links and memberships added since the last query.
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
    const entities = moment.tables.entities(plan.level, project, moment, missing);
    if (table === null || entities === null || (companies === null && plan.level === "account")) return null;
    const cohorts = new Cohorts();
    for (const [day, count] of entities.countByDay(project)) if (count > 0) cohorts.addEntities(day, count);
    const unconverted = addPayments(cohorts, table, entities, companies, project, moment);
    return { currency, cohorts: cohorts.items(plan.limit, currency), unconverted: unconverted.items() };
  },
};

/** Adds each counted payment of a project to the cohort of its entity; returns the payments without a rate. */
function addPayments(
  cohorts: Cohorts,
  table: RevenueTable,
  entities: Entities,
  companies: PaymentCompanies | null,
  project: number,
  { identities, rates }: TableSnapshot,
): Unconverted {
  const unconverted = new Unconverted();
  const hasLinks = identities.linkCount > 0;
  const { payments } = table;
  const converted = table.converted(rates);
  const { counted, projects, actors, amounts, currencies } = payments;
  for (let place = 0; place < payments.count; place += 1) {
    const actor = actors[place]!;
    if (counted[place] === 0 || projects[place] !== project || actor === 0) continue;
    const amount = converted[place]!;
    if (amount === null) {
      unconverted.add(currencies[place]!, amounts[place]!);
      continue;
    }
    const company = companies === null ? 0 : companies.of(place);
    const entity = company > 0 ? -company : hasLinks ? identities.identityOf(actor) : actor;
    cohorts.addMoney(entities.dayOf(entity), amount, isOrder(amounts[place]!) ? 1 : 0);
  }
  return unconverted;
}
