import type { PathEdge, PathNode, Paths } from "../../../../src/query/plan/insights/answers.js";
import type { PathsInput } from "../../../../src/query/plan/input.js";
import { fieldReader } from "../field.js";
import { byCodePoint, canonicalJsonOf, isSet, textOf } from "../json.js";
import { patternOf } from "../operators.js";
import type { World } from "../world.js";
import { groupsOf } from "./breakdown.js";
import { isWithin } from "./buckets.js";
import { queryOf, type Bare } from "./query.js";
import { allSessions } from "./sessions.js";

/** The nodes of one session that are kept. */
interface Sequence {
  readonly values: readonly string[];
  /** Number of the first node. */
  readonly firstStep: number;
  readonly isCut: boolean;
}

export function paths(world: World, input: PathsInput): Bare<Paths> {
  const query = queryOf(world, input);
  const labelOf = labelReader(world, input);
  const sequences = allSessions(query)
    .filter(([first]) => isWithin(first.createdAtMs, query.range))
    .map((session) => session.filter((event) => query.matching.includes(event)).map(labelOf).filter((label) => label !== null))
    .map((labels) => sequenceOf(labels, input))
    .filter((sequence) => sequence !== null);
  const limit = input.limit ?? 50;
  const steps = Array.from({ length: maxDepthOf(input) }, (_, index) => index + 1);
  const groups = groupsOf(sequences, ({ values }) => [[...values]]).map(({ values, own }) => ({ values, sessions: own.length }));
  return {
    sessions: sequences.length,
    nodes: steps.flatMap((step) => nodesAt(step, sequences, input).slice(0, limit)),
    edges: steps.flatMap((step) => edgesAt(step, sequences).slice(0, limit)),
    sequences: groups.sort((a, b) => b.sessions - a.sessions || byNodes(a.values, b.values)).slice(0, limit),
  };
}

/** What an event is called: by its value, or by the first rule that matches it; null for no node. */
function labelReader(world: World, { node, rules }: PathsInput) {
  const read = fieldReader(node ?? "path", world);
  const named = (rules ?? []).map(({ pattern, label }) => ({ pattern: patternOf(pattern), label }));
  return (event: Parameters<typeof read>[0]): string | null => {
    const value = read(event);
    if (!isSet(value)) return null;
    const text = textOf(value) ?? canonicalJsonOf(value);
    return named.find(({ pattern }) => pattern.test(text))?.label ?? text;
  };
}

/** What is kept of a session's labels; null where there is none, or not where the path must start or end. */
function sequenceOf(labels: readonly string[], input: PathsInput): Sequence | null {
  const [startAt, endAt] = [input.startAt ?? null, input.endAt ?? null];
  const collapsed = input.collapse === false ? labels : labels.filter((label, index) => index === 0 || label !== labels[index - 1]);
  const first = startAt === null ? 0 : collapsed.indexOf(startAt);
  const last = endAt === null ? collapsed.length - 1 : collapsed.indexOf(endAt, Math.max(first, 0));
  if (first === -1 || last === -1) return null;
  const whole = collapsed.slice(first, last + 1);
  const maxDepth = maxDepthOf(input);
  const isCut = whole.length > maxDepth;
  if (endAt === null || startAt !== null) return { values: whole.slice(0, maxDepth), firstStep: 1, isCut };
  return { values: whole.slice(-maxDepth), firstStep: maxDepth - Math.min(whole.length, maxDepth) + 1, isCut };
}

function nodesAt(step: number, sequences: readonly Sequence[], { endAt }: PathsInput): PathNode[] {
  const here = sequences.filter((sequence) => valueAtStep(sequence, step) !== undefined);
  const nodes = groupsOf(here, (sequence) => [[valueAtStep(sequence, step) ?? ""]]).map(({ values: [value = ""], own }) => {
    const ended = own.filter((sequence) => !sequence.isCut && valueAtStep(sequence, step + 1) === undefined);
    return {
      step, value, sessions: own.length,
      entries: own.filter(({ firstStep }) => firstStep === step).length,
      dropOffs: (endAt ?? null) === null ? ended.length : 0,
    };
  });
  return nodes.sort((a, b) => b.sessions - a.sessions || byCodePoint(a.value, b.value));
}

function edgesAt(step: number, sequences: readonly Sequence[]): PathEdge[] {
  const here = sequences.filter((sequence) => [step, step + 1].every((at) => valueAtStep(sequence, at) !== undefined));
  const edges = groupsOf(here, (sequence) => [[step, step + 1].map((at) => valueAtStep(sequence, at) ?? "")]).map(({ values: [from = "", to = ""], own }) => {
    return { step, from, to, sessions: own.length };
  });
  return edges.sort((a, b) => b.sessions - a.sessions || byCodePoint(a.from, b.from) || byCodePoint(a.to, b.to));
}

function valueAtStep({ values, firstStep }: Sequence, step: number): string | undefined {
  return step < firstStep ? undefined : values[step - firstStep];
}

/** Node by node, the shorter first. */
function byNodes(a: readonly string[], b: readonly string[]): number {
  const differing = a.findIndex((value, index) => value !== b[index]);
  if (differing === -1) return a.length - b.length;
  const other = b[differing];
  return other === undefined ? 1 : byCodePoint(a[differing] ?? "", other);
}

function maxDepthOf({ maxDepth }: PathsInput): number {
  return maxDepth ?? 5;
}
