/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the facts */
import { HeadView } from "../segment/head.js";
import type { Rows } from "../segment/rows.js";
import { EntityDays } from "./entity-days.js";
import { EntityTriples } from "./entity-triples.js";
import { keptOf } from "./kept.js";
import { NewerEntities } from "./newer-entities.js";
import type { ReportContext } from "./report.js";

/**
 * Identities, or companies and the identities without one, of sealed segments: when each was first seen, and in which
 * projects. Companies are entities where the context has them. Kept until the segments, or who is who, change.
 */
export async function sealedEntities(parts: readonly Rows[], context: ReportContext): Promise<EntityDays> {
  const { memo } = context;
  const sealed = parts.filter((rows) => rows.sealed).sort((a, b) => a.day - b.day);
  const triples = await keptOf(memo, "entity triples", sealed, () => triplesOf(sealed));
  return await keptOf(memo, `entities by ${levelOf(context)}`, [triples, ...peopleOf(context)], () => EntityDays.of(triples, sealed, context));
}

/** The same with those of heads, to be read within this turn: the next question adds what came since. Cost: the rows that came since. */
export function entitiesWithHeads(base: EntityDays, parts: readonly Rows[], context: ReportContext): NewerEntities {
  const heads = parts.filter((rows) => rows instanceof HeadView);
  const kept = context.memo.of(`newer entities by ${levelOf(context)}`, [base, ...peopleOf(context)], () => new NewerEntities(base));
  // A question that began earlier must not see what came since.
  const entities = kept.isWithin(heads) ? kept : new NewerEntities(base);
  entities.add(heads, context);
  return entities;
}

function levelOf({ companies }: ReportContext): string {
  return companies === null ? "identity" : "account";
}

function peopleOf({ identities, companies }: ReportContext): object[] {
  return companies === null ? [identities] : [identities, companies];
}

async function triplesOf(parts: readonly Rows[]): Promise<EntityTriples> {
  const triples = new EntityTriples();
  for (const rows of parts) {
    const { actors, companies, projects } = await rows.who();
    for (let at = 0; at < actors.length; at += 1) triples.add(actors[at]!, companies[at]!, projects[at]!, rows.day);
  }
  return triples;
}
