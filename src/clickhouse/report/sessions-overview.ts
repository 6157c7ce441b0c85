import { LIMITS } from "../../core/base/limits.js";
import { tooManyCombinations } from "../../query/answer/insights/combinations.js";
import { slotsOf } from "../../query/answer/insights/buckets.js";
import { rateOf } from "../../query/answer/numbers.js";
import type { SessionPage } from "../../query/plan/insights/answers.js";
import { combinations, sql, whole } from "../sql/sql.js";
import { combinationsOf, extentOf, insight, propertiesColumn } from "./report.js";
import { fromSessions } from "./session-rows.js";
import { ALL_SESSIONS, countedLists, figuresIf, NO_VALUES, sessionFiguresOf, unitValue, visitShape, type CountedValue } from "./visit-figures.js";

/** Counts and durations of sessions, in one statement; of what is not shown of a breakdown in another one. */
export const sessionsOverview = insight<"sessionsOverview">((plan, context) => fromSessions(plan, plan.range, context, async (rowsOf) => {
  const { breakdown, limit, interval, isOpen } = plan;
  const rows = rowsOf(visitShape(plan, (needs) => propertiesColumn(plan, needs)));
  const slots = slotsOf(plan, interval, isOpen.start || isOpen.end ? await extentOf(sql`SELECT startMs AS ms FROM (${rows})`, context) : null);
  const combos = combinationsOf((breakdown?.fields ?? []).map((_, at) => sql`told[${whole(at + 1)}]`));
  const lists = {
    all: ALL_SESSIONS,
    slots: { values: unitValue(slots), limit: null, hasDurations: true },
    entries: { values: sql`[[entryPage]]`, limit },
    exits: { values: sql`[[exitPage]]`, limit },
    groups: { values: breakdown === null ? NO_VALUES : combos, limit: breakdown?.limit ?? 1, hasDurations: true },
  };
  const { all, slots: bySlot, entries, exits, groups } = await countedLists(rows, lists, "sessions", context);
  if (groups.valueCount > LIMITS.combinationCount) throw tooManyCombinations();
  const isRest = sql`arrayExists(one -> NOT has(${combinations(groups.counted.map(({ values }) => values))}, one), ${combos})`;
  return {
    buckets: slots.map(({ bucket, unitMs }) => ({ ...bucket, ...sessionFiguresOf(bySlot.of(String(unitMs))) })),
    total: sessionFiguresOf(all.of()),
    rows: breakdown === null ? null : groups.counted.map((one) => ({ values: one.values, figures: sessionFiguresOf(one) })),
    rest: breakdown?.rest === true ? await figuresIf(rows, isRest, context) : null,
    valueCount: groups.valueCount,
    entryPages: entries.counted.map(pageOf),
    exitPages: exits.counted.map(pageOf),
  };
}));

function pageOf({ values: [value = ""], sessions, bounces }: CountedValue): SessionPage {
  return { value, sessions, bounces, bounceRate: rateOf(bounces, sessions) };
}
