/* eslint-disable @typescript-eslint/no-non-null-assertion -- places, steps and labels are bounded by their lists */
import type { PathsPlan } from "../plan/insights/plan.js";

/** How the nodes of a session become a sequence. Labels are numbers. */
export interface SequenceRule extends Pick<PathsPlan, "collapse" | "maxDepth"> {
  readonly startAt: number | null;
  readonly endAt: number | null;
}

/** That of a question. @param numberOf of a label, whether an event is called so or not */
export function sequenceRule({ collapse, maxDepth, startAt, endAt }: PathsPlan, numberOf: (label: string) => number): SequenceRule {
  const known = (label: string | null) => (label === null ? null : numberOf(label));
  return { collapse, maxDepth, startAt: known(startAt), endAt: known(endAt) };
}

/** Slots of a table of nodes, of which at most this share is in use. */
const LOAD_SHARE = 1 / 2;
/** Nodes that are put elsewhere between two turns. */
const PIECE_COUNT = 16 * 1024;

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

  /** Makes room for the nodes of some sessions, in pieces: what grows by itself, while a session is added, does so in one. */
  async reserve(sessionCount: number, pause: () => Promise<void>): Promise<void> {
    const count = this.#count + sessionCount * this.rule.maxDepth;
    if (count > this.#parents.length) await this.#growTo(Math.max(count, this.#parents.length * 2), pause);
    if (count > this.#slots.length * LOAD_SHARE) await this.#spreadOver(slotCountFor(count), pause);
  }

  /** Adds the labels of one session, which lie from `from` to before `to`. There is room for its nodes. */
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

  /** Nodes are numbered from 1 to before it. */
  get end(): number {
    return this.#count;
  }

  /** Sessions with a sequence. */
  get sequenceCount(): number {
    return this.#sequenceCount;
  }

  /** 0 for a first node. */
  parentOf(node: number): number {
    return this.#parents[node]!;
  }

  labelOf(node: number): number {
    return this.#labels[node]!;
  }

  /** The step of a node in its sequences, from 1. */
  stepOf(node: number): number {
    const depth = this.#depths[node]!;
    return this.isFromEnd ? this.rule.maxDepth - depth + 1 : depth;
  }

  /** Sequences that go through a node. */
  throughOf(node: number): number {
    return this.#through[node]!;
  }

  /** Sequences that are told by a node: it is their last one or, where they are told by their ends, their first. */
  toldBy(node: number): number {
    return this.#ends[node]!;
  }

  /** The same, without those that were cut there. */
  wholeToldBy(node: number): number {
    return this.#wholeEnds[node]!;
  }

  /** The labels of a sequence from its first to its last. */
  labelsOf(node: number): number[] {
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
    this.#count = node + 1;
    this.#parents[node] = parent;
    this.#labels[node] = label;
    this.#depths[node] = depth;
    this.#through[node] = 1;
    return node;
  }

  async #growTo(length: number, pause: () => Promise<void>): Promise<void> {
    const longer = async <A extends Uint32Array | Uint8Array>(from: A, to: A): Promise<A> => {
      for (let at = 0; at < this.#count; at += PIECE_COUNT) {
        to.set(from.subarray(at, Math.min(at + PIECE_COUNT, this.#count)), at);
        await pause();
      }
      return to;
    };
    this.#parents = await longer(this.#parents, new Uint32Array(length));
    this.#labels = await longer(this.#labels, new Uint32Array(length));
    this.#depths = await longer(this.#depths, new Uint8Array(length));
    this.#through = await longer(this.#through, new Uint32Array(length));
    this.#ends = await longer(this.#ends, new Uint32Array(length));
    this.#wholeEnds = await longer(this.#wholeEnds, new Uint32Array(length));
  }

  async #spreadOver(slotCount: number, pause: () => Promise<void>): Promise<void> {
    const slots = new Uint32Array(slotCount);
    const mask = slots.length - 1;
    for (let node = 1; node < this.#count; node += 1) {
      let slot = hashOf(this.#parents[node]!, this.#labels[node]!) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = node;
      if (node % PIECE_COUNT === 0) await pause();
    }
    this.#slots = slots;
  }
}

/** A power of two, with room to spare: each node is put in its place again each time. */
function slotCountFor(nodeCount: number): number {
  return 2 ** (Math.ceil(Math.log2(nodeCount / LOAD_SHARE)) + 1);
}

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
