/* eslint-disable @typescript-eslint/no-non-null-assertion -- places, steps and labels are bounded by their lists */
import { GrowingCounts } from "../../base/growing-counts.js";
import { inPieces } from "../../base/in-pieces.js";
import { PairNumbers } from "../../base/pair-numbers.js";
import type { Scratch } from "../../base/scratch.js";
import type { PathsPlan } from "../../plan/insights/plan.js";

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

/**
 * Counts sequences as the ways through a tree: a node stands for all sequences that begin alike, or end alike where sequences are told by
 * their ends. 16 bytes a node, beside those of its pair.
 */
export class PathCounts {
  /** Each by the node before it and its label. Node 0 is none. */
  readonly #nodes: PairNumbers;
  /** By node: how many sequences end in it, and end in it without being cut. */
  readonly #ends: GrowingCounts;
  readonly #wholeEnds: GrowingCounts;
  /** Of the nodes, once all sequences are there: their depths from 1, and how many sequences go through them. */
  #depths: Uint32Array = new Uint32Array();
  #through: Uint32Array = new Uint32Array();
  #sequenceCount = 0;

  constructor(
    readonly rule: SequenceRule,
    readonly scratch: Scratch,
  ) {
    this.#nodes = new PairNumbers(scratch);
    this.#ends = new GrowingCounts(scratch);
    this.#wholeEnds = new GrowingCounts(scratch);
  }

  /** Whether sequences are told by their ends: steps are counted so that the last one is `maxDepth`. */
  get isFromEnd(): boolean {
    return this.rule.endAt !== null && this.rule.startAt === null;
  }

  /** Makes room for the nodes of some sessions, in pieces. */
  async reserve(sessionCount: number, pause: () => Promise<void>): Promise<void> {
    const end = this.#nodes.end + sessionCount * this.rule.maxDepth;
    await this.#nodes.reserve(end, pause);
    await this.#ends.reserve(end, pause);
    await this.#wholeEnds.reserve(end, pause);
  }

  /** Adds a session, whose labels lie from `from` to before `to`, and otherwise afterwards: they are its own. There is room for its nodes. */
  add(labels: Uint32Array, from: number, to: number): void {
    const { startAt, endAt, collapse, maxDepth } = this.rule;
    const end = collapse ? collapsed(labels, from, to) : to;
    let [first, last] = [from, end];
    if (startAt !== null) first = placeOf(labels, startAt, first, last);
    if (endAt !== null) last = placeOf(labels, endAt, first, last) + 1;
    // Nothing is left, or not where it has to start or end.
    if (first >= last || last > end) return;
    const isCut = last - first > maxDepth;
    this.#sequenceCount += 1;
    let node = 0;
    if (this.isFromEnd) for (let at = last - 1; at >= Math.max(first, last - maxDepth); at -= 1) node = this.#nodes.numberOf(node, labels[at]!);
    else for (let at = first; at < Math.min(last, first + maxDepth); at += 1) node = this.#nodes.numberOf(node, labels[at]!);
    this.#ends.numbers[node]! += 1;
    if (!isCut) this.#wholeEnds.numbers[node]! += 1;
  }

  /** Once all sequences are there: finds out what goes through each node, and how deep it is. A node comes after the one before it. */
  async sumUp(pause: () => Promise<void>): Promise<void> {
    const { scratch, end } = this;
    const [depths, through, ends] = [scratch.takeZeros(end), scratch.takeZeros(end), this.#ends.numbers];
    await inPieces(end - 1, pause, (from, to) => {
      for (let node = from + 1; node <= to; node += 1) depths[node] = depths[this.parentOf(node)]! + 1;
    });
    await inPieces(end - 1, pause, (from, to) => {
      for (let node = end - 1 - from; node >= end - to; node -= 1) {
        through[node]! += ends[node]!;
        through[this.parentOf(node)]! += through[node]!;
      }
    });
    [this.#depths, this.#through] = [depths, through];
  }

  /** Nodes are numbered from 1 to before it. */
  get end(): number {
    return this.#nodes.end;
  }

  /** Sessions with a sequence. */
  get sequenceCount(): number {
    return this.#sequenceCount;
  }

  /** 0 for a first node. */
  parentOf(node: number): number {
    return this.#nodes.firstOf(node);
  }

  labelOf(node: number): number {
    return this.#nodes.secondOf(node);
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
    return this.#ends.numbers[node]!;
  }

  /** The same, without those that were cut there. */
  wholeToldBy(node: number): number {
    return this.#wholeEnds.numbers[node]!;
  }

  /** The labels of a sequence from its first to its last. */
  labelsOf(node: number): number[] {
    const labels: number[] = [];
    for (let at = node; at !== 0; at = this.parentOf(at)) labels.push(this.labelOf(at));
    return this.isFromEnd ? labels : labels.reverse();
  }
}

/** Leaves one of equal labels that follow each other. Where they end then. */
function collapsed(labels: Uint32Array, from: number, to: number): number {
  let end = from;
  for (let at = from; at < to; at += 1) {
    if (end > from && labels[at] === labels[end - 1]) continue;
    labels[end] = labels[at]!;
    end += 1;
  }
  return end;
}

/** The first place of a label; the end where there is none. */
function placeOf(labels: Uint32Array, label: number, from: number, to: number): number {
  let at = from;
  while (at < to && labels[at] !== label) at += 1;
  return at;
}
