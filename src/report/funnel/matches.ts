import { STEP_BITS, type Mask } from "../../answer/insights/chain.js";
import { inTurns } from "../../base/steps.js";
import type { FunnelPlan } from "../../plan/insights/plan.js";
import type { Scope } from "../../plan/plan.js";
import { SEQUENCE_COLUMN, TIME_COLUMN } from "../../schema/fields.js";
import type { Selector } from "../../filter/predicate.js";
import { isWhole } from "../../filter/select.js";
import type { Rows } from "../../segment/rows.js";
import type { Part } from "../form/part.js";
import type { RowKeys } from "../insights/row-keys.js";
import type { Goers } from "./goers.js";
import { joinedLists } from "./joined-lists.js";
import { mayAskIds, orderMatters } from "./order-by-ids.js";
import { byteLengthOfList, matchListOf, type MatchList, type MatchSources } from "./match-list.js";

/** What a span keeps. */
interface KeptLists {
  lists: readonly MatchList[];
  /** By the first question they are added once: it need not wait until lists are joined for those to come. */
  isAdded: boolean;
  isJoined: boolean;
}

/**
 * What a funnel gathers of rows. Kept of spans of days, first as lists of the very arrays, which are in memory once and counted by each that keeps
 * them. What is asked again is joined, which takes no more.
 */
export function matchesPart(plan: FunnelPlan, goers: Goers, keys: readonly RowKeys[]): Part<MatchList[], KeptLists> {
  const meant = meantBy(plan);
  const haveSequences = mayAskIds(orderMatters(plan));
  const sources: MatchSources = { bits: meant.map(({ bit }) => bit), subjects: goers, keys, haveSequences };
  const names = [goers.name, ...keys.map(({ name }) => name)];
  const name = names.includes(null) ? null : `matches ${meant.map(({ bit }) => bit).join()} of ${names.join(" by ")}${haveSequences ? " with ids" : ""}`;
  const part: Part<MatchList[], KeptLists> = {
    scopes: meant.map(({ scope }) => ({ ...scope, range: goers.range })),
    columns: [TIME_COLUMN, ...(haveSequences ? [SEQUENCE_COLUMN] : []), ...goers.columns, ...keys.flatMap(({ columns }) => columns)],
    begin: () => [],
    scan: (state, rows, selectors) => {
      const list = keptList(rows, selectors, sources, name);
      if (list.subjects.length > 0) state.push(list);
    },
  };
  if (name === null) return part;
  return {
    ...part,
    kept: {
      key: name,
      of: (state) => ({ lists: [...state], isAdded: false, isJoined: false }),
      add: async (state, own, pause) => {
        if (own.isAdded && !own.isJoined) {
          own.lists = await inTurns(joinedLists(own.lists), pause);
          own.isJoined = true;
        }
        own.isAdded = true;
        for (const list of own.lists) state.push(list);
      },
      byteLength: ({ lists }) => lists.reduce((sum, list) => sum + byteLengthOfList(list), 0),
    },
  };
}

interface Meant {
  readonly scope: Scope;
  readonly bit: Mask;
}

/** Which events are looked at, and what they are. Where nothing may lie between two steps: all that match the question. */
function meantBy({ steps, exclusions, order, project, eventName, userId, where, range }: FunnelPlan): Meant[] {
  return [
    ...steps.map(({ scope }, at) => ({ scope, bit: 1 << at })),
    ...exclusions.map(({ scope }, at) => ({ scope, bit: 1 << (STEP_BITS + at) })),
    ...(order === "strict" ? [{ scope: { project, eventName, userId, where, range }, bit: 0 }] : []),
  ];
}

/** Kept with whole segments too, of which a question asks where its dates cut a span. */
function keptList(rows: Rows, selectors: readonly Selector[], sources: MatchSources, name: string | null): MatchList {
  const make = () => matchListOf(rows, selectors, sources);
  const keys = selectors.map(({ key }) => key);
  if (name === null || keys.includes(null) || !selectors.every((selector) => isWhole(rows, selector))) return make();
  return rows.derive(`${name} ${keys.join()}`, make, byteLengthOfList);
}
