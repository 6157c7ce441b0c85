/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the facts */
import type { Rows } from "../segment/rows.js";
import { EntityDays } from "./entity-days.js";
import { loadEntityFacts } from "./entity-facts.js";
import { EntitySet, addTo, type Entity } from "./entity-members.js";
import { EntityTriples } from "./entity-triples.js";
import { keptOf } from "./kept.js";
import { partsOf, type PartsKind } from "./parts-kind.js";
import type { ReportContext } from "./report.js";

/** Identities, or companies and the identities without one: when each was first seen, and in which projects. */
export class EntityTable {
  /** @param newer those seen in rows that came later */
  constructor(
    readonly base: EntityDays,
    readonly newer: readonly EntityDays[],
  ) {}

  /** Day of the first event; every entity has one. */
  dayOf(entity: Entity): number {
    let day = this.base.dayOf(entity);
    for (const days of this.newer) day = Math.min(day, days.dayOf(entity));
    return day;
  }

  /**
   * Number of entities seen in a project, by the day on which they were first seen anywhere.
   * Cost: the users in heads; those of all segments when another project was asked for before.
   */
  countByDay(project: number): Map<number, number> {
    const { base, newer } = this;
    const members = base.membersOf(project);
    const counts = new Map(members.countByDay);
    const newMembers = newer.map((days) => days.membersOf(project).set);
    const seen = new EntitySet();
    const count = (entity: Entity) => {
      if (!seen.add(entity)) return;
      const wasMember = members.set.has(entity);
      if (wasMember) addTo(counts, base.dayOf(entity), -1);
      if (wasMember || newMembers.some((set) => set.has(entity))) addTo(counts, this.dayOf(entity), 1);
    };
    for (const days of newer) days.each(count);
    return counts;
  }
}

/**
 * The table of some segments and heads; what sealed segments and full heads tell is kept until they, or who is who, change.
 * Companies are entities where the context has them.
 */
export async function entityTable(parts: readonly Rows[], context: ReportContext): Promise<EntityTable> {
  const { memo, identities, companies } = context;
  const level = companies === null ? "identity" : "account";
  const among = companies === null ? [identities] : [identities, companies];
  const daysOf = async (kind: PartsKind) => {
    const some = partsOf(kind, parts);
    const triples = await keptOf(memo, `entity triples of ${kind}`, some, () => triplesOf(some));
    return await keptOf(memo, `entities of ${kind} by ${level}`, [triples, ...among], () => EntityDays.of(triples, some, context));
  };
  return new EntityTable(await daysOf("segments"), [await daysOf("full heads"), await daysOf("heads")]);
}

async function triplesOf(parts: readonly Rows[]): Promise<EntityTriples> {
  const triples = new EntityTriples();
  for (const rows of parts) {
    const { actors, companies, projects } = await loadEntityFacts(rows);
    for (let at = 0; at < actors.length; at += 1) triples.add(actors[at]!, companies[at]!, projects[at]!, rows.day);
  }
  return triples;
}
