/* eslint-disable @typescript-eslint/no-non-null-assertion -- parts and places go together */
import { assert } from "../base/assert.js";
import { dayStartMs } from "../base/time.js";
import type { TouchRule } from "../plan/plan.js";
import { ID_COLUMN } from "../schema/fields.js";
import type { Rows } from "../segment/rows.js";
import { keptOf } from "./kept.js";
import { partsOf, type PartsKind } from "./parts-kind.js";
import type { ReportContext } from "./report.js";
import { makeInOrder } from "./row-order.js";
import { loadTouchFacts } from "./touch-facts.js";
import type { TouchFacts } from "./touch-facts.js";
import { TouchIndex } from "./touch-index.js";
import { TouchLabels } from "./touch-labels.js";
import { touchReader } from "./touch.js";

/** Touches by who made them. */
export interface OwnedTouches {
  readonly byActor: TouchIndex;
  /** Null where the context has no companies. */
  readonly byCompany: TouchIndex | null;
}

/** The labels of touches, by their numbers. */
export function touchLabels(rule: TouchRule, { memo, dictionaries }: ReportContext): TouchLabels {
  return memo.of("touch labels", [dictionaries, rule], () => new TouchLabels());
}

/**
 * The touches of all parts of a kind, kept as long as these, and who is who, are the same.
 * Cost: the rows of heads; some 40 ns a touch of segments after a seal, and at level account after a change of who belongs
 * to whom.
 */
export async function ownedTouches(kind: PartsKind, parts: readonly Rows[], rule: TouchRule, context: ReportContext): Promise<OwnedTouches> {
  const { memo, identities, companies } = context;
  const labels = touchLabels(rule, context);
  const some = partsOf(kind, parts);
  const facts = () => factsOf(some, rule, labels, context);
  const byActor = await keptOf(memo, `touches of ${kind} by actor`, [labels, ...some], async () => {
    const found = await facts();
    return await indexOf(found, found.map(({ actors }) => actors), labels);
  });
  if (companies === null) return memo.of(`touches of ${kind}`, [byActor], () => ({ byActor, byCompany: null }));
  const byCompany = await keptOf(memo, `touches of ${kind} by company`, [byActor, identities, companies], async () => {
    const found = await facts();
    return await indexOf(found, await touchCompanies(found, context), labels);
  });
  return memo.of(`touches of ${kind} with companies`, [byActor, byCompany], () => ({ byActor, byCompany }));
}

async function factsOf(parts: readonly Rows[], rule: TouchRule, labels: TouchLabels, context: ReportContext): Promise<TouchFacts[]> {
  const reader = touchReader(rule, context);
  const facts: TouchFacts[] = [];
  for (const rows of parts) facts.push(await loadTouchFacts(rows, reader, labels));
  return facts;
}

async function indexOf(facts: readonly TouchFacts[], ownersOf: readonly Uint32Array[], labels: TouchLabels): Promise<TouchIndex> {
  const index = new TouchIndex(facts, ownersOf, labels.count);
  await makeInOrder((compare) => index.sort(compare));
  return index;
}

const CHANGING = -1;

/** Company of each touch, 0 for none: its own, else that of its identity at its time. */
async function touchCompanies(facts: readonly TouchFacts[], { dictionaries, identities, companies }: ReportContext): Promise<Uint32Array[]> {
  assert(companies !== null, "the report says that it asks companies");
  // Who is who is asked once for an actor.
  const actorCount = 2 * Math.max(dictionaries.named("userId").size, dictionaries.named("anonymousId").size);
  const known = new Uint8Array(actorCount);
  const onlyCompanies = new Int32Array(actorCount);
  const lists: Uint32Array[] = [];
  for (const { part, rows, times, actors, companies: named } of facts) {
    const owners = named.slice();
    const changing: number[] = [];
    for (let at = 0; at < owners.length; at += 1) {
      const actor = actors[at]!;
      if (owners[at] !== 0 || actor === 0) continue;
      if (known[actor] === 0) {
        known[actor] = 1;
        onlyCompanies[actor] = companies.onlyCompany(identities.identityOf(actor));
      }
      if (onlyCompanies[actor] === CHANGING) changing.push(at);
      else owners[at] = onlyCompanies[actor]!;
    }
    if (changing.length > 0) {
      await part.load([ID_COLUMN]);
      const startMs = dayStartMs(part.day);
      for (const at of changing)
        owners[at] = companies.companyAt(identities.identityOf(actors[at]!), startMs + times[at]!, part.ids(), rows[at]! * 16);
    }
    lists.push(owners);
  }
  return lists;
}
