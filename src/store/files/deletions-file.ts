import { grouped } from "../../core/base/arrays.js";
import { LIMITS } from "../../core/base/limits.js";
import { damaged } from "../../storage/segment/segment-file.js";

/** Sequences from one to another, inclusive. */
export type SequenceRun = readonly [from: number, to: number];

/** What a copy of the events has to repeat, because their rows are gone here. */
export interface StoredDeletion {
  /** `clearAnonymousId`: the events stay, without the device of an erased person. */
  readonly action: "delete" | "clearAnonymousId";
  /** Its own, which no event has: it concerns no later event. */
  readonly sequence: number;
  readonly deletedMs: number;
  /** Of the project's name, hex; null: of any project. Names of deleted projects must not stay. */
  readonly projectSha256: string | null;
  /** Only events that happened before, epoch ms; null: at any time. */
  readonly beforeMs: number | null;
  /** Of the ids of all events of a public key; null: any id. Bounded, however many events the key sent. */
  readonly idPrefix: string | null;
  /** Only these events, ascending; null: all before `sequence`. Sequences name no person, unlike ids of events. */
  readonly runs: readonly SequenceRun[] | null;
}

export type NewDeletion = Omit<StoredDeletion, "sequence" | "deletedMs">;

export interface StoredDeletions {
  /** The greatest sequence of a deletion that is forgotten; 0: none is. */
  readonly forgottenSequence: number;
  /** Oldest first. */
  readonly deletions: readonly StoredDeletion[];
}

export const NO_DELETIONS: StoredDeletions = { forgottenSequence: 0, deletions: [] };

/** Adds deletions of one moment: drops what they include, and forgets what is too old. */
export function withDeletions({ forgottenSequence, deletions }: StoredDeletions, added: readonly NewDeletion[], sequence: number, nowMs: number): StoredDeletions {
  const isForgotten = ({ deletedMs }: StoredDeletion) => nowMs - deletedMs > LIMITS.keptDeletionMs;
  const addedOf = grouped(added, ({ projectSha256 }) => projectSha256);
  const left = deletions.filter((former) => addedOf.get(former.projectSha256)?.some((later) => isIncluded(former, later)) !== true);
  return {
    forgottenSequence: left.filter(isForgotten).reduce((greatest, former) => Math.max(greatest, former.sequence), forgottenSequence),
    deletions: [...left.filter((former) => !isForgotten(former)), ...added.map((each) => ({ ...each, sequence, deletedMs: nowMs }))],
  };
}

/** Whether a later deletion by project and time removes all that a former one did. */
function isIncluded(former: StoredDeletion, later: NewDeletion): boolean {
  if (former.runs !== null || later.runs !== null || former.idPrefix !== later.idPrefix) return false;
  return later.beforeMs === null || (former.beforeMs !== null && former.beforeMs <= later.beforeMs);
}

/** Numbers as ascending runs. */
export function runsOf(sequences: readonly number[]): SequenceRun[] {
  const runs: [number, number][] = [];
  for (const sequence of Float64Array.from(sequences).sort()) {
    const last = runs.at(-1);
    if (last !== undefined && last[1] + 1 === sequence) last[1] = sequence;
    else runs.push([sequence, sequence]);
  }
  return runs;
}

export function encodeDeletions(deletions: StoredDeletions): string {
  return JSON.stringify(deletions);
}

/** @throws corruption */
export function decodeDeletions(key: string, text: string): StoredDeletions {
  let value: Partial<StoredDeletions> | null;
  try {
    value = JSON.parse(text) as typeof value;
  } catch (cause) {
    throw damaged(key, "it is not JSON", cause);
  }
  const { forgottenSequence, deletions } = value ?? {};
  if (!isSequence(forgottenSequence) || !Array.isArray(deletions) || !deletions.every(isDeletion)) throw damaged(key, "it contains no list of deletions");
  return { forgottenSequence, deletions };
}

function isSequence(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isDeletion(value: unknown): value is StoredDeletion {
  const { action, sequence, deletedMs, projectSha256, beforeMs, idPrefix, runs } = (value ?? {}) as { readonly [Name in keyof StoredDeletion]?: unknown };
  const isRun = (run: unknown) => Array.isArray(run) && run.length === 2 && run.every(isSequence);
  return (action === "delete" || action === "clearAnonymousId") && isSequence(sequence) && typeof deletedMs === "number" &&
    (projectSha256 === null || typeof projectSha256 === "string") && (beforeMs === null || typeof beforeMs === "number") &&
    (idPrefix === null || typeof idPrefix === "string") &&
    (runs === null || (Array.isArray(runs) && runs.every(isRun)));
}
