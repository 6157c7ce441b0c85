/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows and runs are bounded by their columns */
import { dayStartMs, MS_PER_DAY } from "../../base/time.js";
import { BitSet } from "../../column/bit-set.js";
import type { IdentityView } from "../../identity/identity-view.js";
import type { SessionRule } from "../../plan/plan.js";
import type { Rows } from "../../segment/rows.js";
import { Part } from "./part.js";
import type { RunReader } from "./run-reader.js";
import { actorAt, type RowsToRun } from "./rows-to-run.js";
import type { SessionChanges } from "./session-changes.js";

export interface PartOfRows {
  readonly part: Part;
  readonly rows: Rows;
}

/** What was found of earlier days: the runs of whose sessions may go on into the first day. */
export interface OverMidnight {
  /** From old days to new ones; others have no runs in them. */
  readonly parts: readonly PartOfRows[];
  readonly midnight: Midnight;
  /** The earliest day that was looked at. */
  readonly lookedDay: number;
}

/** Who was active just before and just after the beginning of the first day: whoever was both has the runs of earlier days too. */
export class Midnight {
  readonly before = new BitSet();
  readonly after = new BitSet();

  constructor(
    /** Epoch ms. */
    readonly ms: number,
    readonly gapMs: number,
  ) {}

  /** Whether a session may go over midnight, by all ids of its identity. */
  isOver(actors: readonly number[]): boolean {
    return actors.some((actor) => this.before.has(actor)) && actors.some((actor) => this.after.has(actor));
  }

  /** Whether changes may touch a session that goes over midnight, or make it one. Cost: new rows of the first day, and all ids of whoever moved. */
  isTouched({ grown, moved }: SessionChanges, former: IdentityView, identities: IdentityView): boolean {
    for (const { rows, rowCount } of grown) {
      if (dayStartMs(rows.day) < this.ms) return true;
      if (dayStartMs(rows.day) === this.ms && rows.times().subarray(rowCount).some((ms) => ms <= this.gapMs)) return true;
    }
    for (const actor of moved)
      for (const view of [former, identities]) if (this.isOver(view.actorsOf(view.identityOf(actor)))) return true;
    return false;
  }
}

/**
 * The runs of earlier days of those whose sessions go over midnight into the first day, back to a midnight that nobody of them goes over. Cost: the
 * rows of these days: one or two, and all where somebody never pauses.
 * @param own the parts of the first day and later ones
 * @param rows of these days and earlier ones
 */
export async function overMidnight(
  firstDay: number,
  own: readonly Part[],
  rows: readonly Rows[],
  identities: IdentityView,
  { gapMs }: SessionRule,
  reader: RunReader,
): Promise<OverMidnight> {
  const midnight = new Midnight(dayStartMs(firstDay), gapMs);
  addEarly(own.filter(({ startMs }) => startMs === midnight.ms), gapMs, midnight.after);
  const all: PartOfRows[] = [];
  let [day, before, after] = [firstDay, midnight.before, midnight.after];
  while (after.count > 0) {
    day -= 1;
    const ofDay = rows.filter((each) => each.day === day);
    await reader.readEach(ofDay, (_, read) => addLate(read, MS_PER_DAY - gapMs, before));
    const made = await reader.runsOfActors(ofDay, goingOver(before, after, identities));
    const parts = [...made].map(([each, runs]): PartOfRows => ({ part: new Part(each, runs), rows: each }));
    all.unshift(...parts);
    [before, after] = [new BitSet(), new BitSet()];
    addEarly(parts.map(({ part }) => part), gapMs, after);
  }
  return { parts: all, midnight, lookedDay: day };
}

/** Adds who was active no later than the gap in a day. */
function addEarly(parts: readonly Part[], gapMs: number, into: BitSet): void {
  for (const { runs } of parts) for (let run = 0; run < runs.count; run += 1) if (runs.firstMs[run]! <= gapMs) into.add(runs.actors[run]!);
}

/** Adds who was active from a ms of the day on. */
function addLate(read: RowsToRun, fromMs: number, into: BitSet): void {
  for (let row = 0; row < read.times.length; row += 1) if (read.times[row]! >= fromMs) into.add(actorAt(read, row));
}

/** All ids of those who were active on both sides of a midnight. */
function goingOver(before: BitSet, after: BitSet, identities: IdentityView): BitSet {
  const found = new BitSet();
  after.forEach((actor) => {
    const own = identities.actorsOf(identities.identityOf(actor));
    if (own.some((other) => before.has(other))) for (const other of own) found.add(other);
  });
  return found;
}
