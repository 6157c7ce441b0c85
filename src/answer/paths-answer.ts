/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the lists */
import { compareCodePoints } from "../base/order.js";
import type { PathEdge, PathNode, Paths } from "../plan/insights/answers.js";
import { FirstInOrder } from "./first-in-order.js";
import type { PathCounts } from "./sessions-paths.js";

/** Labels are below it: two of them make one exact number. */
const LABEL_SPAN = 2 ** 26;
/** Nodes and edges that are looked at between two turns. */
const PIECE_COUNT = 16 * 1024;

/** A label at a step. */
interface LabelAtStep {
  readonly label: number;
  sessions: number;
  entries: number;
  dropOffs: number;
}

/** What sessions went through between one step and the next. */
interface EdgesOfStep {
  /** By both labels, the place of their count. */
  readonly places: Map<number, number>;
  readonly sessionCounts: number[];
}

/** How a question shows the ways of its sessions. */
export interface PathsShown {
  /** The text of a label. */
  readonly textOf: (label: number) => string;
  /** Of nodes and edges of each step, and of sequences. */
  readonly limit: number;
  readonly pause: () => Promise<void>;
}

/** The answer of paths. Cost: some looks at each node of the tree, and a comparison of texts where figures are equal to those that are shown last. */
export async function pathsAnswer(tree: PathCounts, shown: PathsShown): Promise<Omit<Paths, "definition" | "asOf">> {
  const [labels, edges] = await stepsOf(tree, shown.pause);
  return {
    sessions: tree.sequenceCount,
    nodes: await shownNodes(labels, shown),
    edges: await shownEdges(edges, shown),
    sequences: await shownSequences(tree, shown),
  };
}

type LabelsOfSteps = ReadonlyMap<number, ReadonlyMap<number, LabelAtStep>>;
type EdgesOfSteps = ReadonlyMap<number, EdgesOfStep>;

/** Nodes of the tree by their step and label, and by those of the node before. */
async function stepsOf(tree: PathCounts, pause: () => Promise<void>): Promise<[LabelsOfSteps, EdgesOfSteps]> {
  const { isFromEnd, rule: { endAt } } = tree;
  const labels = new Map<number, Map<number, LabelAtStep>>();
  const edges = new Map<number, EdgesOfStep>();
  for (let node = 1; node < tree.end; node += 1) {
    if (node % PIECE_COUNT === 0) await pause();
    const [parent, label, step, sessions] = [tree.parentOf(node), tree.labelOf(node), tree.stepOf(node), tree.throughOf(node)];
    const ofStep = known(labels, step, () => new Map<number, LabelAtStep>());
    const own = known(ofStep, label, () => ({ label, sessions: 0, entries: 0, dropOffs: 0 }));
    own.sessions += sessions;
    own.entries += isFromEnd ? tree.toldBy(node) : parent === 0 ? sessions : 0;
    own.dropOffs += endAt === null ? tree.wholeToldBy(node) : 0;
    if (parent === 0) continue;
    const other = tree.labelOf(parent);
    const [from, to] = isFromEnd ? [label, other] : [other, label];
    const { places, sessionCounts } = known(edges, isFromEnd ? step : step - 1, () => ({ places: new Map<number, number>(), sessionCounts: [] }));
    const place = known(places, from * LABEL_SPAN + to, () => sessionCounts.push(0) - 1);
    sessionCounts[place]! += sessions;
  }
  return [labels, edges];
}

function known<K, V>(values: Map<K, V>, key: K, make: () => V): V {
  let value = values.get(key);
  if (value === undefined) values.set(key, (value = make()));
  return value;
}

function inOrderOfSteps<V>(ofSteps: ReadonlyMap<number, V>): [number, V][] {
  return [...ofSteps].sort(([a], [b]) => a - b);
}

async function shownNodes(ofSteps: LabelsOfSteps, { textOf, limit, pause }: PathsShown): Promise<PathNode[]> {
  const nodes: PathNode[] = [];
  for (const [step, labels] of inOrderOfSteps(ofSteps)) {
    const first = new FirstInOrder<LabelAtStep>(limit, (a, b) => b.sessions - a.sessions || compareCodePoints(textOf(a.label), textOf(b.label)));
    await offerAll(first, labels.values(), pause);
    for (const { label, ...counts } of first.items) nodes.push({ step, value: textOf(label), ...counts });
  }
  return nodes;
}

async function shownEdges(ofSteps: EdgesOfSteps, { textOf, limit, pause }: PathsShown): Promise<PathEdge[]> {
  const edges: PathEdge[] = [];
  const compareLabels = (a: number, b: number) => (a === b ? 0 : compareCodePoints(textOf(a), textOf(b)));
  for (const [step, { places, sessionCounts }] of inOrderOfSteps(ofSteps)) {
    const endsOf = ([key]: readonly [number, number]) => [Math.floor(key / LABEL_SPAN), key % LABEL_SPAN] as const;
    const first = new FirstInOrder<readonly [number, number]>(limit, (a, b) => {
      const difference = sessionCounts[b[1]]! - sessionCounts[a[1]]!;
      if (difference !== 0) return difference;
      const [[aFrom, aTo], [bFrom, bTo]] = [endsOf(a), endsOf(b)];
      return compareLabels(aFrom, bFrom) || compareLabels(aTo, bTo);
    });
    await offerAll(first, places, pause);
    for (const edge of first.items) {
      const [from, to] = endsOf(edge);
      edges.push({ step, from: textOf(from), to: textOf(to), sessions: sessionCounts[edge[1]]! });
    }
  }
  return edges;
}

async function offerAll<T>(first: FirstInOrder<T>, items: Iterable<T>, pause: () => Promise<void>): Promise<void> {
  let count = 0;
  for (const item of items) {
    first.offer(item);
    count += 1;
    if (count % PIECE_COUNT === 0) await pause();
  }
}

interface Sequence {
  readonly labels: readonly number[];
  readonly sessions: number;
}

/** The sequences that most sessions have, then node by node, the shorter first. */
async function shownSequences(tree: PathCounts, { textOf, limit, pause }: PathsShown): Promise<Paths["sequences"]> {
  const first = new FirstInOrder<Sequence>(limit, (a, b) => b.sessions - a.sessions || compareSequences(a.labels, b.labels, textOf));
  for (let node = 1; node < tree.end; node += 1) {
    if (node % PIECE_COUNT === 0) await pause();
    const sessions = tree.toldBy(node);
    if (sessions > 0 && sessions >= (first.last?.sessions ?? 0)) first.offer({ labels: tree.labelsOf(node), sessions });
  }
  return first.items.map(({ labels, sessions }) => ({ values: labels.map(textOf), sessions }));
}

function compareSequences(a: readonly number[], b: readonly number[], textOf: (label: number) => string): number {
  for (let at = 0; at < Math.min(a.length, b.length); at += 1) if (a[at] !== b[at]) return compareCodePoints(textOf(a[at]!), textOf(b[at]!));
  return a.length - b.length;
}
