/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows, nodes and sessions are bounded by their lists */
import { LIMITS } from "../../base/limits.js";
import { compareIds } from "../../base/uuid.js";
import { NO_LABEL } from "../../filter/label-numbers.js";
import { select } from "../../filter/select.js";
import { selectedRows } from "../../filter/selected-rows.js";
import type { PathsPlan } from "../../plan/insights/plan.js";
import { ID_COLUMN, TIME_COLUMN } from "../../schema/fields.js";
import type { Rows } from "../../segment/rows.js";
import { whilePinned } from "../../segment/while-pinned.js";
import type { SessionView } from "../../table/sessions/session-view.js";
import type { Part } from "../form/part.js";
import { inPieces } from "../../base/in-pieces.js";
import type { RowKeys } from "../insights/row-keys.js";

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

/** Nodes session by session, in order. */
export interface Nodes {
  readonly labels: Uint32Array;
  /** Where those of the next session begin, by number of the session. */
  readonly ends: Uint32Array;
}

/**
 * Nodes of events session by session. Cost: some 10 ns an event; of days with several segments or a head also a sort of their events by time,
 * and their ids, where these decide. @param labelOf by key
 */
export async function nodesOf(events: readonly PathEvents[], labelOf: (key: number) => number, sessionCount: number, pause: () => Promise<void>): Promise<Nodes> {
  const ofDays = new Map<number, PathEvents[]>();
  for (const part of events) {
    const ofDay = ofDays.get(part.rows.day);
    if (ofDay === undefined) ofDays.set(part.rows.day, [part]);
    else ofDay.push(part);
  }
  const inOrder: Labelled[] = [];
  for (const day of [...ofDays.keys()].sort((a, b) => a - b)) {
    await pause();
    const [one, ...others] = ofDays.get(day)!.map((part) => labelled(part, labelOf));
    inOrder.push(others.length === 0 && one!.rows.sealed ? one! : await mixed([one!, ...others]));
  }
  const next = new Uint32Array(sessionCount + 1);
  for (const { sessions } of inOrder) {
    await pause();
    for (let at = 0; at < sessions.length; at += 1) next[sessions[at]! + 1]! += 1;
  }
  await inPieces(sessionCount, pause, (from, to) => {
    for (let session = from; session < to; session += 1) next[session + 1]! += next[session]!;
  });
  const labels = new Uint32Array(next[sessionCount]!);
  for (const part of inOrder) {
    await pause();
    const { sessions } = part;
    for (let at = 0; at < sessions.length; at += 1) {
      const session = sessions[at]!;
      labels[next[session]!] = part.labels[at]!;
      next[session]! += 1;
    }
  }
  return { labels, ends: next.subarray(0, sessionCount) };
}

/** The events of some rows that are nodes. */
interface Labelled {
  readonly rows: Rows;
  readonly rowNumbers: Uint32Array;
  readonly sessions: Uint32Array;
  readonly labels: Uint32Array;
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

/** Places are below it: they and times make one exact number. */
const PLACE_SPAN = 2 ** 26;

/** The events of one day in order. */
async function mixed(parts: readonly Labelled[]): Promise<Labelled> {
  const count = parts.reduce((sum, { labels }) => sum + labels.length, 0);
  const partOf = new Uint32Array(count);
  const placeOf = new Uint32Array(count);
  const keys = new Float64Array(count);
  let end = 0;
  for (const [number, { rows, rowNumbers }] of parts.entries())
    await whilePinned([rows], async () => {
      await rows.load([TIME_COLUMN]);
      const times = rows.times();
      for (let at = 0; at < rowNumbers.length; at += 1, end += 1) {
        partOf[end] = number;
        placeOf[end] = at;
        keys[end] = times[rowNumbers[at]!]! * PLACE_SPAN + end;
      }
    });
  keys.sort();
  const order = Uint32Array.from(keys, (key) => key % PLACE_SPAN);
  await orderTies(parts, partOf, placeOf, keys, order);
  return {
    rows: parts[0]!.rows,
    rowNumbers: NO_ROWS,
    sessions: order.map((at) => parts[partOf[at]!]!.sessions[placeOf[at]!]!),
    labels: order.map((at) => parts[partOf[at]!]!.labels[placeOf[at]!]!),
  };
}

const NO_ROWS = new Uint32Array(0);

/** Orders by id what shares a millisecond: only where it is of one session does it matter. */
async function orderTies(parts: readonly Labelled[], partOf: Uint32Array, placeOf: Uint32Array, keys: Float64Array, order: Uint32Array): Promise<void> {
  const ties: Uint32Array[] = [];
  for (let start = 0, end = 0; start < order.length; start = end) {
    const ms = Math.floor(keys[start]! / PLACE_SPAN);
    while (end < order.length && Math.floor(keys[end]! / PLACE_SPAN) === ms) end += 1;
    const tied = order.subarray(start, end);
    if (tied.length > 1 && hasTwoOfOneSession(tied, (at) => parts[partOf[at]!]!.sessions[placeOf[at]!]!)) ties.push(tied);
  }
  if (ties.length === 0) return;
  const wanted = ties.flatMap((tied) => [...tied]);
  const ids = new Map<number, Uint8Array>();
  for (const [number, { rows, rowNumbers }] of parts.entries()) {
    const own = wanted.filter((at) => partOf[at] === number);
    if (own.length === 0) continue;
    await whilePinned([rows], async () => {
      await rows.load([ID_COLUMN]);
      for (const at of own) ids.set(at, rows.ids().slice(rowNumbers[placeOf[at]!]! * 16, rowNumbers[placeOf[at]!]! * 16 + 16));
    });
  }
  for (const tied of ties) tied.sort((a, b) => compareIds(ids.get(a)!, 0, ids.get(b)!, 0));
}

function hasTwoOfOneSession(tied: Uint32Array, sessionOf: (at: number) => number): boolean {
  const seen = new Set<number>();
  for (const at of tied) {
    if (seen.has(sessionOf(at))) return true;
    seen.add(sessionOf(at));
  }
  return false;
}
