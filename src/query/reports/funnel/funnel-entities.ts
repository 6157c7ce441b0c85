/* eslint-disable @typescript-eslint/no-non-null-assertion -- sessions and rows are bounded by their columns */
import { assert } from "../../../core/base/assert.js";
import type { FunnelPlan } from "../../plan/insights/plan.js";
import type { Range } from "../../plan/plan.js";
import type { SessionView } from "../../tables/sessions/session-view.js";
import type { RowContext } from "../form/report.js";
import { countedEntitiesOf, type CountedEntities } from "../insights/counted-entities.js";

/** The entities that go through steps: people, accounts or sessions. */
export interface FunnelEntities extends Pick<CountedEntities, "columns" | "name" | "subjectsOf" | "moves" | "entityOf"> {
  /** The time range of relevant events. */
  readonly range: Range;
  /** The time range of the first event of a chain. */
  readonly entries: Range;
  /** The instant that determines the bucket of a chain that starts with an event of a subject. */
  entryMsOf(subject: number, ms: number): number;
}

/** @param sessions null if the plan does not need them */
export function funnelEntitiesOf(plan: FunnelPlan, context: RowContext, sessions: SessionView | null): FunnelEntities {
  if (plan.level === "session") return sessionGoers(plan, sessions);
  const { range, windowMs } = plan;
  const { columns, name, subjectsOf: ownOf, moves, entityOf } = countedEntitiesOf(plan.level, context);
  return {
    columns, name, subjectsOf: ownOf, moves, entityOf,
    // Events before the first event of a chain, or after its window, do not matter.
    range: { fromMs: range.fromMs, toMs: range.toMs + windowMs },
    entries: range,
    entryMsOf: (_subject, ms) => ms,
  };
}

/** Sessions that start in the range, as their number + 1. All their events may start a chain. */
function sessionGoers({ range, session: { maxMs } }: FunnelPlan, view: SessionView | null): FunnelEntities {
  assert(view !== null, "the report declares that it reads sessions");
  const { starts } = view.facts;
  return {
    columns: [],
    // Sessions may change before the next query.
    name: null,
    subjectsOf: (rows, selected) => {
      const sessions = view.rowSessions(rows);
      return selected.map((row) => {
        const session = sessions.of(row);
        return session >= 0 && starts[session]! >= range.fromMs && starts[session]! < range.toMs ? session + 1 : 0;
      });
    },
    moves: "none",
    entityOf: (subject) => subject,
    range: { fromMs: range.fromMs, toMs: range.toMs + maxMs },
    entries: { fromMs: -Infinity, toMs: Infinity },
    entryMsOf: (subject) => starts[subject - 1]!,
  };
}
