import type { LtvCohorts } from "../../../src/query/plan/answers.js";
import type { LtvCohortsInput } from "../../../src/query/plan/input.js";
import { eventsOfProject } from "./attribution.js";
import type { OracleEvent } from "./event.js";
import type { World } from "./world.js";

/** What the entities first seen in each month have paid to a project in all. @throws project_not_found */
export function ltvCohorts(world: World, { project, level, limit }: LtvCohortsInput): LtvCohorts {
  const { events, revenue, rules } = world;
  const entityOf = (event: OracleEvent) => entity(world, event, level ?? "account");
  const inProject = eventsOfProject(world, project).filter((event) => entityOf(event) !== null);
  const entities = [...new Set(inProject.map(entityOf))];
  const cohortOf = (name: string | null) => events.find((event) => entityOf(event) === name)?.record.createdAt.slice(0, 7) ?? "";
  const months = [...new Set(entities.map(cohortOf))].sort().reverse();
  const cohorts = months.map((cohort) => {
    const own = entities.filter((name) => cohortOf(name) === cohort);
    const payments = revenue.countedOf(inProject.filter((event) => own.includes(entityOf(event))));
    const sum = revenue.sumOf(payments);
    return {
      cohort,
      entities: own.length,
      revenue: revenue.shown(sum),
      orders: revenue.ordersOf(payments),
      ltv: revenue.shown(sum, own.length),
    };
  });
  return {
    currency: rules.currency,
    cohorts: cohorts.slice(0, limit ?? 24),
    unconverted: revenue.unconvertedOf(revenue.countedOf(inProject)),
  };
}

/** Whom an event's money is counted for: its company, where that is asked for and it has one, else its identity; null for nobody. */
function entity({ identities, companies }: World, event: OracleEvent, level: "account" | "identity"): string | null {
  const identity = identities.of(event);
  if (identity === null) return null;
  const company = level === "account" ? companies.of(event) : "";
  return company === "" ? identity : `company ${company}`;
}
