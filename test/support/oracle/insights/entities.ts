import type { EntityLevel } from "../../../../src/query/plan/input.js";
import type { OracleEvent } from "../event.js";
import type { World } from "../world.js";

/** Whom an event is counted for: its company, where accounts are asked for and it has one, else its identity; null for nobody. */
export function entityOf({ identities, companies }: World, event: OracleEvent, level: EntityLevel): string | null {
  const company = level === "account" ? companies.of(event) : "";
  return company === "" ? identities.of(event) : `company ${company}`;
}

/** The events of each entity, in order. */
export function eventsByEntity(world: World, events: readonly OracleEvent[], level: EntityLevel): OracleEvent[][] {
  const named = events.map((event) => ({ event, entity: entityOf(world, event, level) })).filter(({ entity }) => entity !== null);
  const entities = [...new Set(named.map(({ entity }) => entity))];
  return entities.map((entity) => named.filter((other) => other.entity === entity).map(({ event }) => event));
}
