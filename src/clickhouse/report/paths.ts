import { parameterError } from "../../core/base/errors.js";
import type { PathEdge, PathNode } from "../../query/plan/insights/answers.js";
import type { PathsPlan } from "../../query/plan/insights/plan.js";
import { compileRules } from "../../query/filter/regex.js";
import { labelOf, type Label } from "../query/operand.js";
import { RequiredJoins } from "../query/required-joins.js";
import { whereOf } from "../query/where.js";
import { joined, sql, text, whole, type Sql } from "../sql/sql.js";
import { matchesPattern } from "../sql/value-test.js";
import { insight, type ReportContext } from "./report.js";
import { fromSessions, type SessionShape } from "./session-rows.js";

/** What a row counts. */
const KINDS = { all: 0, node: 1, edge: 2, sequence: 3 } as const;

type CountRow = readonly [kind: number, step: number, values: readonly string[], sessions: number, entries: number, dropOffs: number];

/** Paths through sessions: the servers count equal sequences, and of these nodes, edges and sequences. @throws query_too_large */
export const paths = insight<"paths">(async (plan, context) => {
  // Refuses invalid ones as the embedded engine does.
  await compileRules(plan);
  const label = labelOf(plan.node);
  const known = label.composite === null ? NO_COMPOSITES : await compositesIn(plan, label, label.composite, context);
  const counted = await fromSessions(plan, plan.range, context, (rowsOf) => context.connection.rows<CountRow>(countsOf(plan, rowsOf(shapeOf(plan, (needs) => label.of(needs, known))))));
  const rowsOf = (kind: number) => counted.filter(([of]) => of === kind);
  return {
    sessions: rowsOf(KINDS.all)[0]?.[3] ?? 0,
    nodes: rowsOf(KINDS.node).map(([, step, [value = ""], sessions, entries, dropOffs]): PathNode => ({ step, value, sessions, entries, dropOffs })),
    edges: rowsOf(KINDS.edge).map(([, step, [from = "", to = ""], sessions]): PathEdge => ({ step, from, to, sessions })),
    sequences: rowsOf(KINDS.sequence).map(([, , values, sessions]) => ({ values, sessions })),
  };
});

const NO_COMPOSITES: ReadonlyMap<string, string> = new Map();

/** Distinct arrays and objects whose labels this process computes. */
const COMPOSITE_COUNT = 100_000;

/** The labels of all arrays and objects among the nodes of sessions. @throws query_too_large */
async function compositesIn(plan: PathsPlan, label: Label, composite: (needs: RequiredJoins) => Sql, context: ReportContext): Promise<ReadonlyMap<string, string>> {
  const needs = new RequiredJoins(context);
  const text = composite(needs);
  const { range: { fromMs, toMs }, session } = plan;
  const where = whereOf({ ...plan, range: { fromMs, toMs: toMs + session.maxMs } }, null, needs);
  const rows = await context.connection.rows<[string]>(sql`SELECT DISTINCT ${text} AS composite FROM ${needs.rows()}
    WHERE (${where}) AND composite != '' LIMIT ${whole(COMPOSITE_COUNT + 1)}`);
  if (rows.length > COMPOSITE_COUNT)
    throw parameterError("query_too_large", "node", `expected at most ${COMPOSITE_COUNT} distinct arrays and objects, got more; use a field with texts or numbers`);
  return new Map(rows.map(([found]) => [found, label.ofComposite(found)]));
}

/** The labels of a session's nodes, in order. */
function shapeOf(plan: PathsPlan, label: (needs: RequiredJoins) => Sql): SessionShape {
  return {
    event: (needs) => sql`, ${ruledLabel(plan, label(needs))}`,
    piece: sql`, arrayMap(node -> (node.1, node.2, node.4), arrayFilter(event -> event.3 AND event.4 != '', events))`,
    session: sql`, arrayMap(node -> node.3, arraySort(arrayFlatten(pieces.4))) AS labels`,
  };
}

/** The label of the first rule that matches; without one the label itself. */
function ruledLabel({ rules }: PathsPlan, label: Sql): Sql {
  if (rules.length === 0) return label;
  const cases = rules.map(({ pattern, label: named }) => sql`${matchesPattern(pattern, sql`label`)}, ${text(named)}`);
  return sql`arrayMap(label -> multiIf(label = '', '', ${joined(cases, ", ")}, label), [${label}])[1]`;
}

function countsOf({ collapse, startAt, endAt, maxDepth, limit }: PathsPlan, sessions: Sql): Sql {
  const isFromEnd = endAt !== null && startAt === null;
  const all = collapse ? sql`arrayCompact(labels)` : sql`labels`;
  const begun = startAt === null ? all : sql`if(has(${all}, ${text(startAt)}), arraySlice(${all}, indexOf(${all}, ${text(startAt)})), [])`;
  const ended = endAt === null ? begun : sql`arraySlice(${begun}, 1, indexOf(${begun}, ${text(endAt)}))`;
  const shown = isFromEnd ? sql`arraySlice(nodes, ${whole(-maxDepth)})` : sql`arraySlice(nodes, 1, ${whole(maxDepth)})`;
  const sequences = sql`SELECT ${shown} AS sequence, length(nodes) > ${whole(maxDepth)} AS isCut, count() AS n
    FROM (SELECT ${ended} AS nodes FROM (${sessions})) WHERE notEmpty(nodes) GROUP BY sequence, isCut`;
  // Sequences that are anchored at their ends have their last node at the last step.
  const step = isFromEnd ? sql`at + ${whole(maxDepth)} - length(sequence)` : sql`at`;
  const dropOff = endAt === null ? sql`if(at = length(sequence) AND NOT isCut, n, 0)` : sql`0`;
  const none = sql`CAST([], 'Array(String)')`;
  const counts = sql`arrayConcat([(${whole(KINDS.all)}, 0, ${none}, 0, 0), (${whole(KINDS.sequence)}, 0, sequence, 0, 0)],
    arrayMap(at -> (${whole(KINDS.node)}, ${step}, [sequence[at]], if(at = 1, n, 0), ${dropOff}), arrayEnumerate(sequence)),
    arrayMap(at -> (${whole(KINDS.edge)}, ${step}, [sequence[at], sequence[at + 1]], 0, 0), range(1, length(sequence))))`;
  return sql`SELECT counted.1 AS kind, counted.2 AS step, counted.3 AS values, sum(n) AS sessions, sum(counted.4), sum(counted.5)
    FROM (SELECT n, arrayJoin(${counts}) AS counted FROM (${sequences})) GROUP BY kind, step, values
    ORDER BY kind, step, sessions DESC, values LIMIT ${whole(limit)} BY kind, step`;
}
