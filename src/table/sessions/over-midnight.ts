/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows and runs are bounded by their columns */
import { areSameNumbers } from "../../base/same-numbers.js";
import { dayStartMs, MS_PER_DAY } from "../../base/time.js";
import type { Turns } from "../../base/turn.js";
import { BitSet } from "../../column/bit-set.js";
import type { IdentityView } from "../../identity/identity-view.js";
import type { Rows } from "../../segment/rows.js";
import { Midnight } from "./midnight.js";
import { keyOfRows, Part, type PartKey } from "./part.js";
import type { RunReader } from "./run-reader.js";
import { actorAt, type RowsToRun } from "./rows-to-run.js";
import type { Runs } from "./runs.js";

/** A segment or head of an earlier day, and the runs of those who go on from there into the first day. */
export interface CarriedPart {
  readonly part: Part;
  readonly rows: Rows;
  /** Rows that were looked at: what comes to a head later gets runs whoever did it. */
  readonly rowCount: number;
  /** Who was active within a gap before the day ended, ascending. */
  readonly late: Uint32Array;
  /** Who has runs: all ids of theirs, ascending; one list for all of a day. */
  readonly actors: Uint32Array;
}

/** What was found of earlier days. */
export interface OverMidnight {
  /** From old days to new ones. */
  readonly parts: readonly CarriedPart[];
  readonly midnight: Midnight;
  /** The earliest day that was looked at. */
  readonly earliestDay: number;
}

/** What a walk back over earlier days reads. */
export interface WalkBack {
  readonly firstDay: number;
  /** The parts of the first day, and others of later ones. */
  readonly own: readonly Part[];
  /** Rows of all days. */
  readonly rows: readonly Rows[];
  readonly identities: IdentityView;
  /** Of an earlier walk, some of which may hold still. */
  readonly former: readonly CarriedPart[];
}

/**
 * The runs of earlier days of those whose sessions may go over midnight into the first day: day by day, back to a midnight that nobody of them goes
 * over. Cost: the rows of these days that were not looked at before. These are one or two days, and all where somebody never pauses.
 */
export async function overMidnight({ firstDay, own, rows, identities, former }: WalkBack, reader: RunReader): Promise<OverMidnight> {
  const { gapMs } = reader.maker;
  const known = new Map<PartKey, CarriedPart>(former.map((carried) => [carried.part.key, carried]));
  const midnight = new Midnight(dayStartMs(firstDay), gapMs);
  addEarly(own.filter(({ startMs }) => startMs === midnight.ms), gapMs, midnight.after);
  const all: CarriedPart[] = [];
  let day = firstDay;
  for (let after = midnight.after; after.count > 0; ) {
    day -= 1;
    const ofDay = rows.filter((each) => each.day === day);
    const late = await lateOf(ofDay, known, gapMs, reader);
    const before = day === firstDay - 1 ? midnight.before : new BitSet();
    for (const own of late.values()) for (const actor of own) before.add(actor);
    const goers = await goingOver(before, after, identities, reader.turns);
    const actors = listOf(goers);
    const runs = await carriedRuns(ofDay, known, goers, actors, reader);
    const parts = ofDay.map((each) => ({ part: new Part(each, runs.get(each)!), rows: each, rowCount: each.rowCount, late: late.get(each)!, actors }));
    all.unshift(...parts);
    after = new BitSet();
    addEarly(parts.map(({ part }) => part), gapMs, after);
  }
  return { parts: all, midnight, earliestDay: day };
}

/** What is known of rows, if none came since. */
function knownOf(rows: Rows, known: ReadonlyMap<PartKey, CarriedPart>): CarriedPart | null {
  const carried = known.get(keyOfRows(rows));
  return carried?.rowCount === rows.rowCount ? carried : null;
}

async function lateOf(all: readonly Rows[], known: ReadonlyMap<PartKey, CarriedPart>, gapMs: number, reader: RunReader): Promise<Map<Rows, Uint32Array>> {
  const late = new Map<Rows, Uint32Array>();
  for (const rows of all) {
    const carried = knownOf(rows, known);
    if (carried !== null) late.set(rows, carried.late);
  }
  await reader.readEach(all.filter((rows) => !late.has(rows)), (rows, read) => {
    reader.looked(rows.rowCount);
    late.set(rows, lateIn(read, MS_PER_DAY - gapMs));
  });
  return late;
}

/** @param goers the same as `actors` */
async function carriedRuns(
  all: readonly Rows[],
  known: ReadonlyMap<PartKey, CarriedPart>,
  goers: BitSet,
  actors: Uint32Array,
  reader: RunReader,
): Promise<Map<Rows, Runs>> {
  const runs = new Map<Rows, Runs>();
  for (const rows of all) {
    const carried = knownOf(rows, known);
    if (carried !== null && areSameNumbers(carried.actors, actors)) runs.set(rows, carried.part.runs);
  }
  const made = await reader.runsOfActors(all.filter((rows) => !runs.has(rows)), goers);
  return new Map([...runs, ...made]);
}

/** Adds who was active no later than the gap in a day. */
function addEarly(parts: readonly Part[], gapMs: number, into: BitSet): void {
  for (const { runs } of parts) for (let run = 0; run < runs.count; run += 1) if (runs.firstMs[run]! <= gapMs) into.add(runs.actors[run]!);
}

/** Who was active from a ms of the day on, ascending. */
function lateIn(read: RowsToRun, fromMs: number): Uint32Array {
  const late = new Set<number>();
  for (let row = 0; row < read.times.length; row += 1) if (read.times[row]! >= fromMs) late.add(actorAt(read, row));
  return Uint32Array.from(late).sort();
}

function listOf(actors: BitSet): Uint32Array {
  const list: number[] = [];
  actors.forEach((actor) => list.push(actor));
  return Uint32Array.from(list);
}

/** All ids of those who were active on both sides of a midnight. Cost: all ids of those who were behind it. */
async function goingOver(before: BitSet, after: BitSet, identities: IdentityView, turns: Turns): Promise<BitSet> {
  const concerned = new Set<number>();
  after.forEach((actor) => concerned.add(identities.identityOf(actor)));
  const found = new BitSet();
  for (const identity of concerned) {
    const own = identities.actorsOf(identity);
    await turns.took(own.length);
    if (own.some((actor) => before.has(actor))) for (const actor of own) found.add(actor);
  }
  return found;
}
