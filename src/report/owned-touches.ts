/* eslint-disable @typescript-eslint/no-non-null-assertion -- parts and places go together */
import { assert } from "../base/assert.js";
import type { TouchRule } from "../plan/plan.js";
import { ID_COLUMN } from "../schema/fields.js";
import type { Rows } from "../segment/rows.js";
import { keptOf } from "./kept.js";
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

/** Touches of some parts, from old to new. */
interface TouchLists {
  readonly parts: readonly Rows[];
  readonly facts: readonly TouchFacts[];
}

/** The labels of touches, by their numbers. */
export function touchLabels(rule: TouchRule, { memo, dictionaries }: ReportContext): TouchLabels {
  return memo.of("touch labels", [dictionaries, rule], () => new TouchLabels());
}

/**
 * The touches of all sealed segments or of all heads, kept as long as these, and who is who, are the same.
 * Cost: the rows of heads; some 30 ns a touch of segments after a seal, and at level account after a change of who belongs
 * to whom.
 */
export async function ownedTouches(kind: "segments" | "heads", parts: readonly Rows[], rule: TouchRule, context: ReportContext): Promise<OwnedTouches> {
  const { memo, identities, companies } = context;
  const labels = touchLabels(rule, context);
  const some = parts.filter((rows) => rows.sealed === (kind === "segments")).sort((a, b) => a.day - b.day);
  const lists = await keptOf(memo, `touches of ${kind}`, [labels, ...some], () => touchLists(some, rule, labels, context));
  const byActor = await keptOf(memo, `touches of ${kind} by actor`, [lists], () => indexOf(lists, lists.facts.map(({ actors }) => actors)));
  const byCompany =
    companies === null
      ? null
      : await keptOf(memo, `touches of ${kind} by company`, [lists, identities, companies], async () => indexOf(lists, await touchCompanies(lists, context)));
  const among = byCompany === null ? [byActor] : [byActor, byCompany];
  return memo.of(`touches of ${kind} ${byCompany === null ? "" : "with companies"}`, among, () => ({ byActor, byCompany }));
}

async function touchLists(parts: readonly Rows[], rule: TouchRule, labels: TouchLabels, context: ReportContext): Promise<TouchLists> {
  const reader = touchReader(rule, context);
  const facts: TouchFacts[] = [];
  for (const rows of parts) facts.push(await loadTouchFacts(rows, reader, labels));
  return { parts, facts };
}

async function indexOf({ parts, facts }: TouchLists, ownersOf: readonly Uint32Array[]): Promise<TouchIndex> {
  const index = new TouchIndex(parts, facts, ownersOf);
  await makeInOrder((compare) => index.sort(compare));
  return index;
}

const CHANGING = -1;

/** Company of each touch, 0 for none: its own, else that of its identity at its time. */
async function touchCompanies({ parts, facts }: TouchLists, { dictionaries, identities, companies }: ReportContext): Promise<Uint32Array[]> {
  assert(companies !== null, "the report says that it asks companies");
  // Who is who is asked once for an actor.
  const actorCount = 2 * Math.max(dictionaries.named("userId").size, dictionaries.named("anonymousId").size);
  const known = new Uint8Array(actorCount);
  const onlyCompanies = new Int32Array(actorCount);
  const lists: Uint32Array[] = [];
  for (const [part, fact] of facts.entries()) {
    const owners = fact.companies.slice();
    const changing: number[] = [];
    for (let at = 0; at < owners.length; at += 1) {
      const actor = fact.actors[at]!;
      if (owners[at] !== 0 || actor === 0) continue;
      if (known[actor] === 0) {
        known[actor] = 1;
        onlyCompanies[actor] = companies.onlyCompany(identities.identityOf(actor));
      }
      if (onlyCompanies[actor] === CHANGING) changing.push(at);
      else owners[at] = onlyCompanies[actor]!;
    }
    if (changing.length > 0) {
      const rows = parts[part]!;
      await rows.load([ID_COLUMN]);
      for (const at of changing)
        owners[at] = companies.companyAt(identities.identityOf(fact.actors[at]!), fact.times[at]!, rows.ids(), fact.rows[at]! * 16);
    }
    lists.push(owners);
  }
  return lists;
}
