import type { Paths } from "../../plan/insights/answers.js";
/* eslint-disable @typescript-eslint/no-non-null-assertion -- sessions are below their number */
import { LabelNumbers, NO_LABEL, PathCounts, sequenceRule } from "../../answer/paths/path-counts.js";
import { pathsAnswer } from "../../answer/paths/paths-answer.js";
import { Scratch } from "../../../core/base/scratch.js";
import { compileRules } from "../../filter/regex.js";
import { labelOf } from "../../filter/value-test.js";
import type { PathsPlan } from "../../plan/insights/plan.js";
import type { SessionView } from "../../tables/sessions/session-view.js";
import { inPieces } from "../../../core/base/yield.js";
import { LIMITS } from "../../../core/base/limits.js";
import { select, selectedRows } from "../../filter/select.js";
import { type Rows, whilePinned } from "../../../storage/segment/rows.js";
import { dayStartMs } from "../../../core/base/time.js";
import { compareIds } from "../../../core/base/uuid.js";
import { firstAtLeast } from "../../../core/base/search.js";
import { ID_COLUMN, TIME_COLUMN } from "../../../core/schema/fields.js";
import { asOfAnswer, onePass, type Pass, type Report } from "../form/report.js";
import { fieldKeys, type RowKeys } from "../insights/row-keys.js";

/** The nodes of all sessions, in order. */
interface Nodes {
  readonly labels: Uint32Array;
  /** By session number: the end of its nodes. */
  readonly ends: Uint32Array;
}

/** The events of some rows that are nodes. */
interface Labelled {
  readonly rows: Rows;
  readonly rowNumbers: Uint32Array;
  readonly sessions: Uint32Array;
  readonly labels: Uint32Array;
}

/** Sorts the nodes of sessions if a day's rows lie in several segments or a head. Few are out of order: those with late events. 12 bytes per node. */
class NodeOrder {
  readonly #instants: Float64Array;
  /** By node: its event, numbered across all parts. */
  readonly #events: Uint32Array;
  /** The number of the first event of each part. */
  readonly #firsts: Float64Array;
  #times: Int32Array = new Int32Array();
  #part: Labelled | null = null;
  #dayMs = 0;
  #first = 0;
  /** Start and end of nodes of one millisecond that may be out of order. */
  readonly #ties: [from: number, to: number][] = [];

  constructor(
    readonly nodes: Nodes,
    readonly parts: readonly Labelled[],
    scratch: Scratch,
  ) {
    this.#instants = scratch.takeFloats(nodes.labels.length);
    this.#events = scratch.take(nodes.labels.length);
    this.#firsts = new Float64Array(parts.length);
    for (let at = 1; at < parts.length; at += 1) this.#firsts[at] = this.#firsts[at - 1]! + parts[at - 1]!.labels.length;
  }

  /** Selects the part of the events that are noted next. */
  async begin(number: number): Promise<void> {
    const part = this.parts[number]!;
    this.#times = await whilePinned([part.rows], async () => {
      await part.rows.load([TIME_COLUMN]);
      return part.rows.times();
    });
    [this.#part, this.#dayMs, this.#first] = [part, dayStartMs(part.rows.day), this.#firsts[number]!];
  }

  note(node: number, at: number): void {
    this.#instants[node] = this.#dayMs + this.#times[this.#part!.rowNumbers[at]!]!;
    this.#events[node] = this.#first + at;
  }

  /** Sorts the nodes by time, and by id within a millisecond; call it after all are noted. */
  async settle(pause: () => Promise<void>): Promise<void> {
    const { ends } = this.nodes;
    let from = 0;
    await inPieces(ends.length, pause, (first, last) => {
      for (let session = first; session < last; session += 1) {
        const to = ends[session]!;
        if (to - from > 1) this.#orderByTime(from, to);
        from = to;
      }
    });
    if (this.#ties.length > 0) await this.#orderTies();
  }

  #orderByTime(from: number, to: number): void {
    const instants = this.#instants;
    let at = from + 1;
    while (at < to && instants[at - 1]! <= instants[at]!) at += 1;
    if (at < to) this.#arrange(from, to, (a, b) => instants[a]! - instants[b]!);
    for (let start = from, end = from; start < to; start = end) {
      while (end < to && instants[end] === instants[start]) end += 1;
      if (end - start > 1 && !this.#areOfOneSegment(start, end)) this.#ties.push([start, end]);
    }
  }

  /** A segment sorts events of one millisecond by id. */
  #areOfOneSegment(from: number, to: number): boolean {
    const part = this.#partOf(from);
    if (!this.parts[part]!.rows.sealed) return false;
    for (let node = from + 1; node < to; node += 1) if (this.#partOf(node) !== part) return false;
    return true;
  }

  #partOf(node: number): number {
    return firstAtLeast(this.#firsts, this.#events[node]! + 1) - 1;
  }

  async #orderTies(): Promise<void> {
    const ofParts = new Map<number, number[]>();
    for (const [from, to] of this.#ties)
      for (let node = from; node < to; node += 1) {
        const part = this.#partOf(node);
        const known = ofParts.get(part);
        if (known === undefined) ofParts.set(part, [node]);
        else known.push(node);
      }
    const ids = new Map<number, Uint8Array>();
    for (const [number, nodes] of ofParts) {
      const { rows, rowNumbers } = this.parts[number]!;
      await whilePinned([rows], async () => {
        await rows.load([ID_COLUMN]);
        for (const node of nodes) {
          const row = rowNumbers[this.#events[node]! - this.#firsts[number]!]!;
          ids.set(node, rows.ids().slice(row * 16, row * 16 + 16));
        }
      });
    }
    for (const [from, to] of this.#ties) this.#arrange(from, to, (a, b) => compareIds(ids.get(a)!, 0, ids.get(b)!, 0));
  }

  #arrange(from: number, to: number, order: (a: number, b: number) => number): void {
    const nodes = Array.from({ length: to - from }, (_, at) => from + at).sort(order);
    for (const list of [this.nodes.labels, this.#instants, this.#events])
      list.set(
        nodes.map((node) => list[node]!),
        from,
      );
  }
}

/** Sessions counted between two pauses. */
const SESSIONS_PER_PAUSE = 8_192;

/** The paths through sessions. Filters select their events, and so the nodes. */
export const paths: Report<PathsPlan, Paths> = {
  readsTables: true,
  prepare: (plan, context, pending) => {
    const view = context.tables.sessions(plan, context, pending);
    if (view === null) return null;
    const { pause } = context;
    const keys = fieldKeys(plan.node, context, (value) => [labelOf(value)]);
    return onePass(pathEvents(plan, keys, view), (events) =>
      Scratch.of(async (scratch) => {
        const labels = new LabelNumbers(await compileRules(plan));
        const ofKeys = new LabelsOfKeys(keys, labels);
        const nodes = await nodesOf(events, { labelOf: (key) => ofKeys.of(key), sessionCount: view.count, scratch, pause });
        const counts = new PathCounts(sequenceRule(plan, (text) => labels.ofLabel(text)), scratch);
        for (let session = 0, from = 0; session < view.count; session += 1) {
          if (session % SESSIONS_PER_PAUSE === 0) {
            await pause();
            await counts.reserve(Math.min(SESSIONS_PER_PAUSE, view.count - session), pause);
          }
          const to = nodes.ends[session]!;
          if (to > from) counts.add(nodes.labels, from, to);
          from = to;
        }
        const answer = await pathsAnswer(counts, { textOf: (label) => labels.textOf(label), limit: plan.limit, pause });
        return { definition: plan.definition, asOf: asOfAnswer(plan, context), ...answer };
      }));
  },
};

/** Labels by row key, cached. */
class LabelsOfKeys {
  /** By key: the label + 1, or `NO_LABEL` + 1. */
  #ofKeys = new Float64Array(1024);

  constructor(
    readonly keys: RowKeys,
    readonly labels: LabelNumbers,
  ) {}

  /** `NO_LABEL` for an event without a value. */
  of(key: number): number {
    if (key >= this.#ofKeys.length) {
      const longer = new Float64Array(Math.max(key + 1, this.#ofKeys.length * 2));
      longer.set(this.#ofKeys);
      this.#ofKeys = longer;
    }
    const known = this.#ofKeys[key]!;
    if (known !== 0) return known - 1;
    const [group = 0] = this.keys.groupsOf(key);
    const [text = ""] = this.keys.valuesOfGroup(group);
    const label = this.labels.ofValue(text);
    this.#ofKeys[key] = label + 1;
    return label;
  }
}

/** Matching events of one segment or head in sessions of the range, row by row. */
interface PathEvents {
  readonly rows: Rows;
  readonly rowNumbers: Uint32Array;
  readonly sessions: Uint32Array;
  readonly keys: Uint32Array;
}

/** Collects the matching events of the sessions that start in the range. Cost: about 15 ns per row. */
function pathEvents(plan: PathsPlan, keys: RowKeys, view: SessionView): Pass<PathEvents[]> {
  const { fromMs, toMs } = plan.range;
  return {
    scopes: [{ ...plan, range: { fromMs, toMs: Math.min(toMs + plan.session.maxMs, LIMITS.instantMaxMs) } }],
    columns: keys.columns,
    begin: () => [],
    scan: (state, rows, [selector]) => {
      const { starts } = view.facts;
      const rowSessions = view.rowSessions(rows);
      const selected = selectedRows(select(rows, selector));
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

interface NodesMade {
  /** By key; `NO_LABEL` for an event that is not a node. */
  readonly labelOf: (key: number) => number;
  readonly sessionCount: number;
  readonly scratch: Scratch;
  readonly pause: () => Promise<void>;
}

/** The nodes of events, session by session. Cost: about 15 ns per event; if a day has several segments or a head, also its times. */
async function nodesOf(events: readonly PathEvents[], { labelOf, sessionCount, scratch, pause }: NodesMade): Promise<Nodes> {
  const parts: Labelled[] = [];
  for (const part of [...events].sort((a, b) => a.rows.day - b.rows.day)) {
    await pause();
    parts.push(labelled(part, labelOf));
  }
  const next = await scratch.zerosYielding(sessionCount + 1, pause);
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

/** Whether events are in time order across parts: all are sealed, and each day has a single one. */
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
