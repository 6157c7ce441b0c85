/* eslint-disable @typescript-eslint/no-non-null-assertion -- nodes and events are bounded by their lists */
import { inPieces } from "../../base/in-pieces.js";
import type { Scratch } from "../../base/scratch.js";
import { dayStartMs } from "../../base/time.js";
import { compareIds } from "../../base/uuid.js";
import { firstAtLeast } from "../../column/search.js";
import { ID_COLUMN, TIME_COLUMN } from "../../schema/fields.js";
import type { Rows } from "../../segment/rows.js";
import { whilePinned } from "../../segment/while-pinned.js";

/** Nodes session by session, in order. */
export interface Nodes {
  readonly labels: Uint32Array;
  /** Where those of the next session begin, by number of the session. */
  readonly ends: Uint32Array;
}

/** The events of some rows that are nodes. */
export interface Labelled {
  readonly rows: Rows;
  readonly rowNumbers: Uint32Array;
  readonly sessions: Uint32Array;
  readonly labels: Uint32Array;
}

/**
 * Orders the nodes of sessions, where rows of one day are in several segments or in a head. Few sessions are out of order: those that others did not
 * wait for. 12 bytes a node.
 */
export class NodeOrder {
  readonly #instants: Float64Array;
  /** By node: its event, numbered through all parts. */
  readonly #events: Uint32Array;
  /** The first event of each part. */
  readonly #firsts: Float64Array;
  #times: Int32Array = new Int32Array();
  #part: Labelled | null = null;
  #dayMs = 0;
  #first = 0;
  /** Where nodes of one millisecond begin and end that may lie in another order. */
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

  /** The events that are noted from now on are of this part. */
  async begin(number: number): Promise<void> {
    const part = this.parts[number]!;
    this.#times = await whilePinned([part.rows], async () => {
      await part.rows.load([TIME_COLUMN]);
      return part.rows.times();
    });
    [this.#part, this.#dayMs, this.#first] = [part, dayStartMs(part.rows.day), this.#firsts[number]!];
  }

  /** That an event of the part is a node. */
  note(node: number, at: number): void {
    this.#instants[node] = this.#dayMs + this.#times[this.#part!.rowNumbers[at]!]!;
    this.#events[node] = this.#first + at;
  }

  /** Once all are noted: orders them by time, and by id within a millisecond. */
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

  /** A segment has what shares a millisecond in order of its ids. */
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
