import { assert } from "../../base/assert.js";
import { LIMITS } from "../../base/limits.js";
import type { Plan } from "../../plan/plan.js";
import { ID_COLUMN, PROJECT_COLUMN } from "../../schema/fields.js";
import { ACTOR_COLUMNS } from "../../segment/who.js";
import { EventsById } from "./events-by-id.js";
import { EventsByValue, byteLengthOfCounts } from "./events-by-value.js";
import type { Fold, FoldContext } from "../form/report.js";
import { UsersByValue, byteLengthOfPairs } from "./users-by-value.js";
import { idValues, valuesOf, type Values } from "./value-sources.js";

type AggregateState =
  | { readonly measure: "ids"; readonly by: EventsById }
  | { readonly measure: "events"; readonly by: EventsByValue }
  | { readonly measure: "unique_users"; readonly by: UsersByValue };

type KeptState =
  | { readonly measure: "events"; readonly kept: ReturnType<EventsByValue["keep"]> }
  | { readonly measure: "unique_users"; readonly kept: Awaited<ReturnType<UsersByValue["keep"]>> };

/** Matching events, or the people who did them, by the value of a field or of a metadata path, most first. */
export const aggregate: Fold<"aggregate", AggregateState, KeptState> = {
  kind: "fold",
  columns: (plan, context) => [
    ...(settledValues(plan, context)?.sources.flatMap(({ columns }) => columns) ?? [ID_COLUMN]),
    ...(plan.measure === "unique_users" ? ACTOR_COLUMNS : []),
  ],
  begin: (plan, context) => {
    const values = settledValues(plan, context);
    if (values === null) return { measure: "ids", by: new EventsById(plan.limit, plan.measure === "unique_users") };
    if (plan.measure === "events") return { measure: "events", by: new EventsByValue(values) };
    return { measure: "unique_users", by: new UsersByValue(values, nameOf(values)) };
  },
  scan: (state, rows, { selector }) => {
    state.by.scan(rows, selector);
  },
  finish: (state, plan, { identities }, pause) => {
    if (state.measure === "ids") return state.by.ranked(pause);
    return state.measure === "events" ? state.by.ranked(plan.limit, pause) : state.by.ranked(plan.limit, identities, pause);
  },
  kept: {
    key: (plan, context) => {
      const values = settledValues(plan, context);
      const name = values === null ? null : nameOf(values);
      return name === null ? null : `${plan.measure} ${name}`;
    },
    of: async (state, pause) => {
      assert(state.measure !== "ids", "what has no key is not kept");
      return state.measure === "events" ? { measure: "events", kept: state.by.keep() } : { measure: "unique_users", kept: await state.by.keep(pause) };
    },
    add: (state, known) => {
      if (state.measure === "events" && known.measure === "events") state.by.addKept(known.kept);
      if (state.measure === "unique_users" && known.measure === "unique_users") state.by.addKept(known.kept);
    },
    byteLength: (known) => (known.measure === "events" ? byteLengthOfCounts(known.kept) : byteLengthOfPairs(known.kept)),
  },
};

/** Of a dictionary with one value: its first code stands for none. */
const ONE_PROJECT_SIZE = 2;

const settled = new WeakMap<FoldContext, Values>();

/** The same for all states of one question, however many values and keys arrive meanwhile; null: ids of one project, which no two events share. */
function settledValues({ by, project, limit }: Plan<"aggregate">, context: FoldContext): Values | null {
  if (by.kind === "id" && (project !== null || context.dictionaries.named(PROJECT_COLUMN).size <= ONE_PROJECT_SIZE)) return null;
  let values = settled.get(context);
  // Of many ids a few may be shown.
  if (values === undefined) settled.set(context, (values = by.kind === "id" && limit !== null ? idValues(LIMITS.dictionaryValueCount) : valuesOf(by, context)));
  return values;
}

/** Names the codes of all sources; null where some of them are one question's own. */
function nameOf({ sources }: Values): string | null {
  return sources.some(({ name }) => name === null) ? null : sources.map(({ name }) => name).join();
}
