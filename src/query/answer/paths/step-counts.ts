/* eslint-disable @typescript-eslint/no-non-null-assertion -- positions and edges are bounded by their lists */
import { GrowingCounts } from "../../../core/base/growing-counts.js";
import { PairNumbers } from "../../../core/base/pair-numbers.js";
import type { Scratch } from "../../../core/base/scratch.js";
import type { PathCounts } from "./path-counts.js";

/** Nodes of the tree processed between yields. */
const PIECE_COUNT = 16 * 1024;

/** Counts of each label at a step, whatever precedes it, and of each edge from one step to the next, from a tree of sequences. */
export class StepCounts {
  /** Pairs of a step and a label. */
  readonly #places: PairNumbers;
  /** Pairs of consecutive step-label pairs. */
  readonly #edges: PairNumbers;
  readonly #sessions: GrowingCounts;
  readonly #entries: GrowingCounts;
  readonly #dropOffs: GrowingCounts;
  readonly #along: GrowingCounts;

  private constructor(scratch: Scratch) {
    this.#places = new PairNumbers(scratch);
    this.#edges = new PairNumbers(scratch);
    this.#sessions = new GrowingCounts(scratch);
    this.#entries = new GrowingCounts(scratch);
    this.#dropOffs = new GrowingCounts(scratch);
    this.#along = new GrowingCounts(scratch);
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

  /** Step-label pairs and edges are numbered from 1 to before these. */
  get placeEnd(): number {
    return this.#places.end;
  }

  get edgeEnd(): number {
    return this.#edges.end;
  }

  stepOf(place: number): number {
    return this.#places.firstOf(place);
  }

  labelOf(place: number): number {
    return this.#places.secondOf(place);
  }

  sessionsAt(place: number): number {
    return this.#sessions.numbers[place]!;
  }

  entriesAt(place: number): number {
    return this.#entries.numbers[place]!;
  }

  dropOffsAt(place: number): number {
    return this.#dropOffs.numbers[place]!;
  }

  fromOf(edge: number): number {
    return this.#edges.firstOf(edge);
  }

  toOf(edge: number): number {
    return this.#edges.secondOf(edge);
  }

  sessionsAlong(edge: number): number {
    return this.#along.numbers[edge]!;
  }

  async #reserve(count: number, pause: () => Promise<void>): Promise<void> {
    const [placeEnd, edgeEnd] = [this.placeEnd + count, this.edgeEnd + count];
    await this.#places.reserve(placeEnd, pause);
    await this.#edges.reserve(edgeEnd, pause);
    for (const counts of [this.#sessions, this.#entries, this.#dropOffs]) await counts.reserve(placeEnd, pause);
    await this.#along.reserve(edgeEnd, pause);
  }

  #add(tree: PathCounts, node: number, placeOf: Uint32Array): void {
    const { isFromEnd, rule: { endAt } } = tree;
    const [parent, sessions] = [tree.parentOf(node), tree.throughOf(node)];
    const place = this.#places.numberOf(tree.stepOf(node), tree.labelOf(node));
    placeOf[node] = place;
    this.#sessions.numbers[place]! += sessions;
    this.#entries.numbers[place]! += isFromEnd ? tree.toldBy(node) : parent === 0 ? sessions : 0;
    this.#dropOffs.numbers[place]! += endAt === null ? tree.wholeToldBy(node) : 0;
    if (parent === 0) return;
    const other = placeOf[parent]!;
    const edge = isFromEnd ? this.#edges.numberOf(place, other) : this.#edges.numberOf(other, place);
    this.#along.numbers[edge]! += sessions;
  }
}
