import { parameterError } from "../../core/base/errors.js";
import { readStopOptions, type StopOptions } from "../../core/base/options.js";
import { isoOf, MS_PER_DAY } from "../../core/base/time.js";
import { LIMITS } from "../../core/base/limits.js";
import type { ExportDeletionsInput } from "../../query/plan/input.js";
import { planDeletions, refuseUnreached } from "../../query/plan/reports/exports.js";
import type { StoredDeletion } from "../../store/files/deletions-file.js";
import { storedDeletions } from "../../store/upkeep/replace-content.js";
import type { OpenExports } from "./open-exports.js";
import { GIVEN_ROW_VALUES, rowYielder } from "./row-yielder.js";

/**
 * What a copy of the events has to repeat, for events with a sequence from `fromSequence` to `toSequence`, of a project whose name has this
 * SHA-256, created before `before`, whose ids begin with `idPrefix`, where these are not null. Applied twice, it changes nothing.
 */
export interface ExportedDeletion {
  /** `clearAnonymousId`: the events stay, without their `anonymousId`, which was a device of an erased person. */
  readonly action: "delete" | "clearAnonymousId";
  readonly fromSequence: number;
  readonly toSequence: number;
  /** Of the UTF-8 of the name, in lower-case hex: names of deleted projects are not kept. */
  readonly projectSha256: string | null;
  /** ISO 8601, exclusive. */
  readonly before: string | null;
  /** Of the ids of all events that a public key sent. */
  readonly idPrefix: string | null;
  /** Of the deletion: no event has it. An export that has reached it yields none of the deleted events. */
  readonly sequence: number;
  /** ISO 8601. */
  readonly deletedAt: string;
}

/** Yields deletions, oldest first. Cost: decodes the text, in memory, of all that were deleted in 30 days. */
export async function* exportedDeletions({ store }: OpenExports, input: ExportDeletionsInput, options?: StopOptions): AsyncGenerator<ExportedDeletion> {
  const { afterSequence } = planDeletions(input);
  const yielder = rowYielder(readStopOptions(options).signal);
  refuseUnreached({ afterSequence }, store.newestSequence);
  const { forgottenSequence, deletions } = storedDeletions(store);
  if (afterSequence > 0 && afterSequence < forgottenSequence) {
    const days = LIMITS.keptDeletionMs / MS_PER_DAY;
    const reason = `deletions are kept for ${days} days, and those up to sequence ${forgottenSequence} are forgotten: copy all events again`;
    throw parameterError("invalid_parameter", "afterSequence", `expected a later sequence, got ${afterSequence}: ${reason}`);
  }
  for (const deletion of deletions) {
    if (deletion.sequence <= afterSequence) continue;
    for (const exported of shownDeletions(deletion)) {
      if (yielder.isDue(GIVEN_ROW_VALUES)) await yielder.yield();
      yield exported;
    }
  }
}

function* shownDeletions({ action, sequence, deletedMs, projectSha256, beforeMs, idPrefix, runs }: StoredDeletion): Generator<ExportedDeletion> {
  const before = beforeMs === null ? null : isoOf(beforeMs);
  for (const [fromSequence, toSequence] of runs ?? [[1, sequence - 1] as const])
    yield { action, fromSequence, toSequence, projectSha256, before, idPrefix, sequence, deletedAt: isoOf(deletedMs) };
}
