/* eslint-disable @typescript-eslint/no-non-null-assertion -- positions, steps and labels are bounded by their lists */
import type { Scratch } from "../../../core/base/scratch.js";
import { inPieces } from "../../../core/base/yield.js";
import { GrowingCounts, PairNumbers } from "../../../core/base/pair-numbers.js";
import type { PathsPlan } from "../../plan/insights/plan.js";

/** The number of a value that is no node. */
export const NO_LABEL = 0xffffffff;

/** A pattern of a plan, compiled, and the label of what it matches. */
interface LabelRule {
  readonly regex: { test(text: string): boolean };
  readonly label: string;
}

/** Numbers the labels of path nodes: a value, or the label of the first rule that matches it. */
export class LabelNumbers {
  readonly #texts: string[] = [];
  readonly #numbers = new Map<string, number>();

  constructor(readonly rules: readonly LabelRule[]) {}

  /** `NO_LABEL` for `""`. */
  ofValue(text: string): number {
    return text === "" ? NO_LABEL : this.ofLabel(this.rules.find(({ regex }) => regex.test(text))?.label ?? text);
  }

  ofLabel(text: string): number {
    let number = this.#numbers.get(text);
    if (number === undefined) this.#numbers.set(text, (number = this.#texts.push(text) - 1));
    return number;
  }

  textOf(label: number): string {
    return this.#texts[label] ?? "";
  }
}

/** How the nodes of a session become a sequence. Labels are numbers. */
export interface SequenceRule extends Pick<PathsPlan, "collapse" | "maxDepth"> {
  readonly startAt: number | null;
  readonly endAt: number | null;
}

export function sequenceRule({ collapse, maxDepth, startAt, endAt }: PathsPlan, numberOf: (label: string) => number): SequenceRule {
  const known = (label: string | null) => (label === null ? null : numberOf(label));
  return { collapse, maxDepth, startAt: known(startAt), endAt: known(endAt) };
}

/** Sequences as paths through a tree: a node stands for all that begin alike, or end alike when anchored at their ends. 16 bytes a node. */
export class PathCounts {
  /** Nodes by the node before and the label. Node 0 is none. */
  readonly #nodes: PairNumbers;
  /** By node: the number of sequences whose last node it is (when they are anchored at their ends, their first), and of those that were not cut. */
  readonly ends: GrowingCounts;
  readonly wholeEnds: GrowingCounts;
  /** By node, after `sumUp`: its depth from 1, and the number of sequences through it. */
  #depths: Uint32Array = new Uint32Array();
  #through: Uint32Array = new Uint32Array();
  #sequenceCount = 0;

  constructor(
    readonly rule: SequenceRule,
    readonly scratch: Scratch,
  ) {
    this.#nodes = new PairNumbers(scratch);
    this.ends = new GrowingCounts(scratch);
    this.wholeEnds = new GrowingCounts(scratch);
  }

  /** Whether sequences are anchored at their ends: steps are numbered so that the last one is `maxDepth`. */
  get isFromEnd(): boolean {
    return this.rule.endAt !== null && this.rule.startAt === null;
  }

  async reserve(sessionCount: number, pause: () => Promise<void>): Promise<void> {
    const end = this.#nodes.end + sessionCount * this.rule.maxDepth;
    await this.#nodes.reserve(end, pause);
    await this.ends.reserve(end, pause);
    await this.wholeEnds.reserve(end, pause);
  }

  /** Adds a session, whose labels lie from `from` to before `to` and may be overwritten. There must be room for its nodes. */
  add(labels: Uint32Array, from: number, to: number): void {
    const { startAt, endAt, collapse, maxDepth } = this.rule;
    const end = collapse ? collapsed(labels, from, to) : to;
    let [first, last] = [from, end];
    if (startAt !== null) first = placeOf(labels, startAt, first, last);
    if (endAt !== null) last = placeOf(labels, endAt, first, last) + 1;
    // No label is left, or the required start or end is missing.
    if (first >= last || last > end) return;
    const isCut = last - first > maxDepth;
    this.#sequenceCount += 1;
    let node = 0;
    if (this.isFromEnd) for (let at = last - 1; at >= Math.max(first, last - maxDepth); at -= 1) node = this.#nodes.numberOf(node, labels[at]!);
    else for (let at = first; at < Math.min(last, first + maxDepth); at += 1) node = this.#nodes.numberOf(node, labels[at]!);
    this.ends.numbers[node]! += 1;
    if (!isCut) this.wholeEnds.numbers[node]! += 1;
  }

  /** Call it after the last `add`: computes the depth of each node and the sequences through it. Nodes have greater numbers than their parents. */
  async sumUp(pause: () => Promise<void>): Promise<void> {
    const { scratch, end } = this;
    const [depths, through, ends] = [scratch.takeZeros(end), scratch.takeZeros(end), this.ends.numbers];
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

  throughOf(node: number): number {
    return this.#through[node]!;
  }

  labelsOf(node: number): number[] {
    const labels: number[] = [];
    for (let at = node; at !== 0; at = this.parentOf(at)) labels.push(this.labelOf(at));
    return this.isFromEnd ? labels : labels.reverse();
  }
}

/** Keeps one of equal labels that follow each other. Returns the new end. */
function collapsed(labels: Uint32Array, from: number, to: number): number {
  let end = from;
  for (let at = from; at < to; at += 1) {
    if (end > from && labels[at] === labels[end - 1]) continue;
    labels[end] = labels[at]!;
    end += 1;
  }
  return end;
}

/** `to` when the label is missing. */
function placeOf(labels: Uint32Array, label: number, from: number, to: number): number {
  let at = from;
  while (at < to && labels[at] !== label) at += 1;
  return at;
}

const PIECE_COUNT = 16 * 1024;

/** Counts of each label at a step, whatever precedes it, and of each edge from one step to the next, from a tree of sequences. */
export class StepCounts {
  /** Of a step and a label. */
  readonly places: PairNumbers;
  /** Of two such pairs at consecutive steps. */
  readonly edges: PairNumbers;
  readonly sessions: GrowingCounts;
  readonly entries: GrowingCounts;
  readonly dropOffs: GrowingCounts;
  readonly along: GrowingCounts;

  private constructor(scratch: Scratch) {
    this.places = new PairNumbers(scratch);
    this.edges = new PairNumbers(scratch);
    this.sessions = new GrowingCounts(scratch);
    this.entries = new GrowingCounts(scratch);
    this.dropOffs = new GrowingCounts(scratch);
    this.along = new GrowingCounts(scratch);
  }

  /** @param tree after `sumUp`. Cost: two table lookups for each of its nodes */
  static async of(tree: PathCounts, pause: () => Promise<void>): Promise<StepCounts> {
    const counts = new StepCounts(tree.scratch);
    const placeOf = tree.scratch.take(tree.end);
    for (let from = 1; from < tree.end; from += PIECE_COUNT) {
      await pause();
      const to = Math.min(from + PIECE_COUNT, tree.end);
      await counts.#reserve(to - from, pause);
      for (let node = from; node < to; node += 1) counts.#add(tree, node, placeOf);
    }
    return counts;
  }

  async #reserve(count: number, pause: () => Promise<void>): Promise<void> {
    const [placeEnd, edgeEnd] = [this.places.end + count, this.edges.end + count];
    await this.places.reserve(placeEnd, pause);
    await this.edges.reserve(edgeEnd, pause);
    for (const counts of [this.sessions, this.entries, this.dropOffs]) await counts.reserve(placeEnd, pause);
    await this.along.reserve(edgeEnd, pause);
  }

  #add(tree: PathCounts, node: number, placeOf: Uint32Array): void {
    const { isFromEnd, rule: { endAt } } = tree;
    const [parent, sessions] = [tree.parentOf(node), tree.throughOf(node)];
    const place = this.places.numberOf(tree.stepOf(node), tree.labelOf(node));
    placeOf[node] = place;
    this.sessions.numbers[place]! += sessions;
    this.entries.numbers[place]! += isFromEnd ? tree.ends.of(node) : parent === 0 ? sessions : 0;
    this.dropOffs.numbers[place]! += endAt === null ? tree.wholeEnds.of(node) : 0;
    if (parent === 0) return;
    const other = placeOf[parent]!;
    const edge = isFromEnd ? this.edges.numberOf(place, other) : this.edges.numberOf(other, place);
    this.along.numbers[edge]! += sessions;
  }
}
