/* eslint-disable @typescript-eslint/no-non-null-assertion -- places, steps and labels are bounded by their lists */
import { compareCodePoints } from "../base/order.js";
import type { PathEdge, PathNode, Paths } from "../plan/insights/answers.js";
import type { PathsPlan } from "../plan/insights/plan.js";

/** How the nodes of a session become a sequence. Labels are numbers. */
export interface SequenceRule extends Pick<PathsPlan, "collapse" | "maxDepth"> {
  readonly startAt: number | null;
  readonly endAt: number | null;
}

/** Slots of a table of nodes, of which at most this share is in use. */
const LOAD_SHARE = 1 / 2;

/**
 * Counts sequences as the ways through a tree: a node stands for all sequences that begin alike, or end alike where sequences are told by
 * their ends. 28 bytes a node, and as much again for what is free.
 */
export class PathCounts {
  /** By node: the one before it, its label, its depth from 1, how many sequences go through it, end in it, and end in it without being cut. */
  #parents = new Uint32Array(1024);
  #labels = new Uint32Array(1024);
  #depths = new Uint8Array(1024);
  #through = new Uint32Array(1024);
  #ends = new Uint32Array(1024);
  #wholeEnds = new Uint32Array(1024);
  /** Nodes by parent and label. */
  #slots = new Uint32Array(4096);
  /** Node 0 is none. */
  #count = 1;
  #sequenceCount = 0;
  readonly #collapsed: number[] = [];

  constructor(readonly rule: SequenceRule) {}

  /** Whether sequences are told by their ends: steps are counted so that the last one is `maxDepth`. */
  get isFromEnd(): boolean {
    return this.rule.endAt !== null && this.rule.startAt === null;
  }

  /** Adds the labels of one session, which lie from `from` to before `to`. */
  add(labels: Uint32Array, from: number, to: number): void {
    const { startAt, endAt, collapse, maxDepth } = this.rule;
    let [list, first, last]: [ArrayLike<number>, number, number] = [labels, from, to];
    if (collapse) {
      const collapsed = this.#collapsed;
      collapsed.length = 0;
      for (let at = from; at < to; at += 1) if (at === from || labels[at] !== labels[at - 1]) collapsed.push(labels[at]!);
      [list, first, last] = [collapsed, 0, collapsed.length];
    }
    if (startAt !== null) first = placeOf(list, startAt, first, last);
    if (endAt !== null) last = placeOf(list, endAt, first, last) + 1;
    // Nothing is left, or not where it has to start or end.
    if (first >= last || last > (collapse ? list.length : to)) return;
    const isCut = last - first > maxDepth;
    this.#sequenceCount += 1;
    let node = 0;
    if (this.isFromEnd) for (let at = last - 1, depth = 1; at >= first && depth <= maxDepth; at -= 1, depth += 1) node = this.#next(node, list[at]!, depth);
    else for (let at = first, depth = 1; at < last && depth <= maxDepth; at += 1, depth += 1) node = this.#next(node, list[at]!, depth);
    this.#ends[node]! += 1;
    if (!isCut) this.#wholeEnds[node]! += 1;
  }

  /** @param textOf the text of a label */
  answer(textOf: (label: number) => string, limit: number): Omit<Paths, "definition" | "asOf"> {
    const { nodes, edges } = this.#steps(textOf);
    const kept = <T extends { readonly step: number }>(items: T[], order: (a: T, b: T) => number): T[] => keptOfSteps(items, order, limit);
    return {
      sessions: this.#sequenceCount,
      nodes: kept(nodes, (a, b) => b.sessions - a.sessions || compareCodePoints(a.value, b.value)),
      edges: kept(edges, (a, b) => b.sessions - a.sessions || compareCodePoints(a.from, b.from) || compareCodePoints(a.to, b.to)),
      sequences: this.#sequences(textOf, limit),
    };
  }

  #steps(textOf: (label: number) => string): { readonly nodes: PathNode[]; readonly edges: PathEdge[] } {
    const { isFromEnd, rule: { maxDepth, endAt } } = this;
    const nodes = new Map<number, { -readonly [M in keyof PathNode]: PathNode[M] }>();
    const edges = new Map<string, { -readonly [M in keyof PathEdge]: PathEdge[M] }>();
    for (let node = 1; node < this.#count; node += 1) {
      const [parent, label, depth, sessions] = [this.#parents[node]!, this.#labels[node]!, this.#depths[node]!, this.#through[node]!];
      const step = isFromEnd ? maxDepth - depth + 1 : depth;
      const key = label * MOST_STEPS + step;
      let known = nodes.get(key);
      if (known === undefined) nodes.set(key, (known = { step, value: textOf(label), sessions: 0, entries: 0, dropOffs: 0 }));
      known.sessions += sessions;
      known.entries += isFromEnd ? this.#ends[node]! : depth === 1 ? sessions : 0;
      known.dropOffs += endAt === null ? this.#wholeEnds[node]! : 0;
      if (parent === 0) continue;
      const other = this.#labels[parent]!;
      const [from, to] = isFromEnd ? [label, other] : [other, label];
      const name = `${from} ${to} ${step}`;
      let edge = edges.get(name);
      if (edge === undefined) edges.set(name, (edge = { step: isFromEnd ? step : step - 1, from: textOf(from), to: textOf(to), sessions: 0 }));
      edge.sessions += sessions;
    }
    return { nodes: [...nodes.values()], edges: [...edges.values()] };
  }

  /** The sequences that most sessions have, then node by node, the shorter first. */
  #sequences(textOf: (label: number) => string, limit: number): Paths["sequences"] {
    const ends = this.#ends;
    const ended: number[] = [];
    for (let node = 1; node < this.#count; node += 1) if (ends[node]! > 0) ended.push(node);
    ended.sort((a, b) => ends[b]! - ends[a]!);
    const least = ends[ended[Math.min(limit, ended.length) - 1] ?? 0]!;
    const shown = ended.filter((node) => ends[node]! >= least).map((node) => ({ values: this.#labelsOf(node).map(textOf), sessions: ends[node]! }));
    return shown.sort((a, b) => b.sessions - a.sessions || compareTexts(a.values, b.values)).slice(0, limit);
  }

  /** The labels of a sequence from its first to its last. */
  #labelsOf(node: number): number[] {
    const labels: number[] = [];
    for (let at = node; at !== 0; at = this.#parents[at]!) labels.push(this.#labels[at]!);
    return this.isFromEnd ? labels : labels.reverse();
  }

  /** The node behind another one, one sequence richer. */
  #next(parent: number, label: number, depth: number): number {
    const [slots, parents, labels] = [this.#slots, this.#parents, this.#labels];
    const mask = slots.length - 1;
    for (let slot = hashOf(parent, label) & mask; ; slot = (slot + 1) & mask) {
      const node = slots[slot]!;
      if (node === 0) return this.#made(slot, parent, label, depth);
      if (parents[node] !== parent || labels[node] !== label) continue;
      this.#through[node]! += 1;
      return node;
    }
  }

  #made(slot: number, parent: number, label: number, depth: number): number {
    const node = this.#count;
    this.#slots[slot] = node;
    if (node === this.#parents.length) this.#grow();
    this.#count = node + 1;
    this.#parents[node] = parent;
    this.#labels[node] = label;
    this.#depths[node] = depth;
    this.#through[node] = 1;
    if (this.#count > this.#slots.length * LOAD_SHARE) this.#spread();
    return node;
  }

  #grow(): void {
    const length = this.#parents.length * 2;
    const longer = (from: Uint32Array): Uint32Array<ArrayBuffer> => {
      const to = new Uint32Array(length);
      to.set(from);
      return to;
    };
    [this.#parents, this.#labels, this.#through] = [longer(this.#parents), longer(this.#labels), longer(this.#through)];
    [this.#ends, this.#wholeEnds] = [longer(this.#ends), longer(this.#wholeEnds)];
    const depths = new Uint8Array(length);
    depths.set(this.#depths);
    this.#depths = depths;
  }

  #spread(): void {
    const slots = new Uint32Array(this.#slots.length * 4);
    const mask = slots.length - 1;
    for (let node = 1; node < this.#count; node += 1) {
      let slot = hashOf(this.#parents[node]!, this.#labels[node]!) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = node;
    }
    this.#slots = slots;
  }
}

/** Steps are below it. */
const MOST_STEPS = 32;

/** The first place of a label; the end where there is none. */
function placeOf(labels: ArrayLike<number>, label: number, from: number, to: number): number {
  let at = from;
  while (at < to && labels[at] !== label) at += 1;
  return at;
}

function hashOf(parent: number, label: number): number {
  const mixed = Math.imul(parent, 0x9e3779b1) ^ Math.imul(label + 1, 0x85ebca6b);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

/** By step, and of each the first ones in order. */
function keptOfSteps<T extends { readonly step: number }>(items: T[], order: (a: T, b: T) => number, limit: number): T[] {
  items.sort((a, b) => a.step - b.step || order(a, b));
  let [step, count] = [0, 0];
  return items.filter((item) => {
    if (item.step !== step) [step, count] = [item.step, 0];
    count += 1;
    return count <= limit;
  });
}

function compareTexts(a: readonly string[], b: readonly string[]): number {
  for (let at = 0; at < Math.min(a.length, b.length); at += 1) {
    const order = compareCodePoints(a[at]!, b[at]!);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}
