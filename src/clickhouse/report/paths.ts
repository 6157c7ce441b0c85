import { PathCounts, sequenceRule } from "../../query/answer/paths/path-counts.js";
import { pathsAnswer } from "../../query/answer/paths/paths-answer.js";
import { Scratch } from "../../core/base/scratch.js";
import { LabelNumbers, NO_LABEL } from "../../query/filter/label-numbers.js";
import { labelOf } from "../query/label.js";
import type { Needs } from "../query/needs.js";
import { ALL_TIME, whereOf } from "../query/where.js";
import { sql } from "../sql/sql.js";
import { sessionsOfPeople } from "./person-sessions.js";
import { pauseOf, refuseAsOf, type StatementReport } from "./report.js";

/** Sessions to reserve room for at a time. */
const SESSIONS_PER_PAUSE = 1_024;

/** Paths through sessions: these are streamed person by person, and counted by the embedded engine's code. */
export const paths: StatementReport<"paths"> = (plan, asking) => Scratch.of((scratch) => pathsIn(scratch, plan, asking));

const pathsIn = async (scratch: Scratch, ...[plan, asking]: Parameters<StatementReport<"paths">>): ReturnType<StatementReport<"paths">> => {
  refuseAsOf(plan);
  const pause = pauseOf(asking);
  const labels = await LabelNumbers.of(plan);
  const counts = new PathCounts(sequenceRule(plan, (text) => labels.ofLabel(text)), scratch);
  const label = labelOf(plan.node);
  const columns = (needs: Needs) => sql`(${whereOf({ ...plan, range: ALL_TIME }, null, needs)}), ${label.column(needs)}`;
  const known = new Map<string, number>();
  const numberOf = (texts: readonly string[]) => {
    const name = JSON.stringify(texts);
    const number = known.get(name) ?? labels.ofValue(label.textOf(texts));
    known.set(name, number);
    return number;
  };
  let count = 0;
  for await (const { events } of sessionsOfPeople<readonly [isNode: boolean, texts: readonly string[]]>(plan, plan.range, columns, asking)) {
    if (count % SESSIONS_PER_PAUSE === 0) await counts.reserve(SESSIONS_PER_PAUSE, pause);
    count += 1;
    const nodes = Uint32Array.from(events.flatMap(([isNode, texts]) => (isNode ? [numberOf(texts)] : [])).filter((number) => number !== NO_LABEL));
    counts.add(nodes, 0, nodes.length);
  }
  const answer = await pathsAnswer(counts, { textOf: (label) => labels.textOf(label), limit: plan.limit, pause });
  return { definition: plan.definition, asOf: null, ...answer };
};
