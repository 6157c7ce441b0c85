/* eslint-disable @typescript-eslint/no-non-null-assertion -- positions are bounded by the lists */
import { compareCodePoints } from "../../../core/base/text-order.js";
import type { PathEdge, PathNode, Paths } from "../../plan/insights/answers.js";
import { FirstInOrder } from "../ranked-items.js";
import { StepCounts, type PathCounts } from "./path-counts.js";

const PIECE_COUNT = 16 * 1024;

export interface PathsShown {
  readonly textOf: (label: number) => string;
  /** For nodes and edges of each step, and for sequences. */
  readonly limit: number;
  readonly pause: () => Promise<void>;
}

/** The result of a query for paths. Cost: some reads of each node of the tree, and comparisons of texts where figures tie with the last shown. */
export async function pathsAnswer(tree: PathCounts, shown: PathsShown): Promise<Omit<Paths, "definition" | "asOf">> {
  await tree.sumUp(shown.pause);
  const steps = await StepCounts.of(tree, shown.pause);
  return {
    sessions: tree.sequenceCount,
    nodes: await shownNodes(steps, shown),
    edges: await shownEdges(steps, shown),
    sequences: await shownSequences(tree, shown),
  };
}

async function shownNodes(steps: StepCounts, { textOf, limit, pause }: PathsShown): Promise<PathNode[]> {
  const first = new FirstOfSteps(limit, (a, b) => steps.sessions.of(b) - steps.sessions.of(a) || compareCodePoints(textOf(steps.places.secondOf(a)), textOf(steps.places.secondOf(b))));
  for (let place = 1; place < steps.places.end; place += 1) {
    if (place % PIECE_COUNT === 0) await pause();
    first.offer(steps.places.firstOf(place), place);
  }
  return first.items().map((place) => ({
    step: steps.places.firstOf(place),
    value: textOf(steps.places.secondOf(place)),
    sessions: steps.sessions.of(place),
    entries: steps.entries.of(place),
    dropOffs: steps.dropOffs.of(place),
  }));
}

async function shownEdges(steps: StepCounts, { textOf, limit, pause }: PathsShown): Promise<PathEdge[]> {
  const compareLabels = (a: number, b: number) => (a === b ? 0 : compareCodePoints(textOf(a), textOf(b)));
  const first = new FirstOfSteps(limit, (a, b) => {
    const difference = steps.along.of(b) - steps.along.of(a);
    if (difference !== 0) return difference;
    return compareLabels(steps.places.secondOf(steps.edges.firstOf(a)), steps.places.secondOf(steps.edges.firstOf(b))) || compareLabels(steps.places.secondOf(steps.edges.secondOf(a)), steps.places.secondOf(steps.edges.secondOf(b)));
  });
  for (let edge = 1; edge < steps.edges.end; edge += 1) {
    if (edge % PIECE_COUNT === 0) await pause();
    first.offer(steps.places.firstOf(steps.edges.firstOf(edge)), edge);
  }
  return first.items().map((edge) => ({
    step: steps.places.firstOf(steps.edges.firstOf(edge)),
    from: textOf(steps.places.secondOf(steps.edges.firstOf(edge))),
    to: textOf(steps.places.secondOf(steps.edges.secondOf(edge))),
    sessions: steps.along.of(edge),
  }));
}

class FirstOfSteps {
  readonly #ofSteps: FirstInOrder<number>[] = [];

  constructor(
    readonly limit: number,
    readonly order: (a: number, b: number) => number,
  ) {}

  offer(step: number, number: number): void {
    (this.#ofSteps[step] ??= new FirstInOrder(this.limit, this.order)).offer(number);
  }

  items(): number[] {
    return this.#ofSteps.flatMap(({ items }) => items);
  }
}

interface Sequence {
  readonly labels: readonly number[];
  readonly sessions: number;
}

/** The most frequent sequences; equally frequent ones node by node, shorter ones first. */
async function shownSequences(tree: PathCounts, { textOf, limit, pause }: PathsShown): Promise<Paths["sequences"]> {
  const first = new FirstInOrder<Sequence>(limit, (a, b) => b.sessions - a.sessions || compareSequences(a.labels, b.labels, textOf));
  for (let node = 1; node < tree.end; node += 1) {
    if (node % PIECE_COUNT === 0) await pause();
    const sessions = tree.ends.of(node);
    if (sessions > 0 && sessions >= (first.last?.sessions ?? 0)) first.offer({ labels: tree.labelsOf(node), sessions });
  }
  return first.items.map(({ labels, sessions }) => ({ values: labels.map(textOf), sessions }));
}

function compareSequences(a: readonly number[], b: readonly number[], textOf: (label: number) => string): number {
  for (let at = 0; at < Math.min(a.length, b.length); at += 1) if (a[at] !== b[at]) return compareCodePoints(textOf(a[at]!), textOf(b[at]!));
  return a.length - b.length;
}
