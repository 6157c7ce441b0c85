/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows, nodes and sessions are bounded by their lists */
import { inPieces } from "../../base/in-pieces.js";
import { LIMITS } from "../../base/limits.js";
import type { Scratch } from "../../base/scratch.js";
import { NO_LABEL } from "../../filter/label-numbers.js";
import { select } from "../../filter/select.js";
import { selectedRows } from "../../filter/selected-rows.js";
import type { PathsPlan } from "../../plan/insights/plan.js";
import type { Rows } from "../../segment/rows.js";
import type { SessionView } from "../../table/sessions/session-view.js";
import type { Part } from "../form/part.js";
import type { RowKeys } from "../insights/row-keys.js";
import { NodeOrder, type Labelled, type Nodes } from "./node-order.js";

/** Matching events of one segment or head that are in sessions of the range, row by row. */
export interface PathEvents {
  readonly rows: Rows;
  readonly rowNumbers: Uint32Array;
  readonly sessions: Uint32Array;
  readonly keys: Uint32Array;
}

/** The matching events of the sessions that start in the range. Cost: some 15 ns a row. */
export function pathEvents(plan: PathsPlan, keys: RowKeys, view: SessionView): Part<PathEvents[]> {
  const { fromMs, toMs } = plan.range;
  return {
    scopes: [{ ...plan, range: { fromMs, toMs: Math.min(toMs + plan.session.maxMs, LIMITS.instantMaxMs) } }],
    columns: keys.columns,
    begin: () => [],
    scan: (state, rows, [selector]) => {
      const { starts } = view.facts;
      const rowSessions = view.rowSessions(rows);
      const selected = selectedRows(select(rows, selector!));
      const [rowNumbers, sessions] = [new Uint32Array(selected.length), new Uint32Array(selected.length)];
      let count = 0;
      for (let at = 0; at < selected.length; at += 1) {
        const session = rowSessions.of(selected[at]!);
        if (session < 0 || starts[session]! < fromMs || starts[session]! >= toMs) continue;
        rowNumbers[count] = selected[at]!;
        sessions[count] = session;
        count += 1;
      }
      if (count === 0) return;
      const own = rowNumbers.subarray(0, count);
      state.push({ rows, rowNumbers: own, sessions: sessions.subarray(0, count), keys: keys.keysOf(rows, own) });
    },
  };
}

/** What the nodes of a question are made with. */
export interface NodesMade {
  /** By key; `NO_LABEL` for what is no node. */
  readonly labelOf: (key: number) => number;
  readonly sessionCount: number;
  /** The nodes are in it. */
  readonly scratch: Scratch;
  readonly pause: () => Promise<void>;
}

/** Nodes of events session by session. Cost: some 15 ns an event; where a day has several segments or a head, also its times. */
export async function nodesOf(events: readonly PathEvents[], { labelOf, sessionCount, scratch, pause }: NodesMade): Promise<Nodes> {
  const parts: Labelled[] = [];
  for (const part of [...events].sort((a, b) => a.rows.day - b.rows.day)) {
    await pause();
    parts.push(labelled(part, labelOf));
  }
  const next = await scratch.zerosInTurns(sessionCount + 1, pause);
  for (const { sessions } of parts) {
    await pause();
    for (let at = 0; at < sessions.length; at += 1) next[sessions[at]! + 1]! += 1;
  }
  await inPieces(sessionCount, pause, (from, to) => {
    for (let session = from; session < to; session += 1) next[session + 1]! += next[session]!;
  });
  const labels = scratch.take(next[sessionCount]!);
  const nodes = { labels, ends: next.subarray(0, sessionCount) };
  const order = areInOrder(parts) ? null : new NodeOrder(nodes, parts, scratch);
  for (const [number, part] of parts.entries()) {
    await pause();
    await order?.begin(number);
    const { sessions } = part;
    for (let at = 0; at < sessions.length; at += 1) {
      const session = sessions[at]!;
      const node = next[session]!;
      next[session] = node + 1;
      labels[node] = part.labels[at]!;
      order?.note(node, at);
    }
  }
  await order?.settle(pause);
  return nodes;
}

/** Whether all that comes later in the list was later too. */
function areInOrder(parts: readonly Labelled[]): boolean {
  return parts.every(({ rows }, at) => rows.sealed && rows.day !== parts[at - 1]?.rows.day);
}

function labelled({ rows, rowNumbers, sessions, keys }: PathEvents, labelOf: (key: number) => number): Labelled {
  const labels = new Uint32Array(keys.length);
  let count = 0;
  for (let at = 0; at < keys.length; at += 1) {
    const label = labelOf(keys[at]!);
    if (label === NO_LABEL) continue;
    labels[count] = label;
    rowNumbers[count] = rowNumbers[at]!;
    sessions[count] = sessions[at]!;
    count += 1;
  }
  return { rows, rowNumbers: rowNumbers.subarray(0, count), sessions: sessions.subarray(0, count), labels: labels.subarray(0, count) };
}
