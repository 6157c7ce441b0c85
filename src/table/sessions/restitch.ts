/* eslint-disable @typescript-eslint/no-non-null-assertion -- runs, parts and sessions are bounded by their columns */
import { LIMITS } from "../../base/limits.js";
import { Scratch } from "../../base/scratch.js";
import type { SessionRule } from "../../plan/plan.js";
import { byStart, mergedByStart } from "./by-start.js";
import type { LatestSessions } from "./latest-sessions.js";
import { walkLong } from "./long-unions.js";
import { BY_ROW, Part, type PartKey } from "./part.js";
import { readAtOnce } from "./reading.js";
import { orderOfFew, type RunSource } from "./rows-to-run.js";
import { Runs, runOf, type RunMaker } from "./runs.js";
import { Concerned, type SessionChanges, type SessionMoment } from "./session-changes.js";
import type { SessionColumns } from "./session-columns.js";
import { SessionView } from "./session-view.js";
import { Stitcher, type RunOrder } from "./stitcher.js";

/** What a table goes on with from one moment to the next. */
export interface Stitching {
  readonly rule: SessionRule;
  readonly source: RunSource;
  readonly maker: RunMaker;
  readonly columns: SessionColumns;
  /** Sessions when all were made. */
  readonly wholeCount: number;
  readonly latest: LatestSessions;
}

/**
 * The sessions of a moment: those of an earlier one, in which the sessions that changes touch are made anew, behind all others. In one turn.
 * Null where too many are concerned, something is not in memory, or a session may go over the first midnight: then all are to be made anew.
 * Cost: a look at every run of the days and ids that are concerned, 1 ns each; some 100 ns for each run and row that is.
 */
export function restitched(view: SessionView, { rowsOf, grown, moved }: SessionChanges, moment: SessionMoment, stitching: Stitching): SessionView | null {
  const { columns, rule } = stitching;
  const parts = [...view.parts];
  if (view.days.midnight?.isTouchedByMoves(moved, view.identities, moment.identities) === true) return null;
  const concerned = new Concerned(view.identities, moment.identities, rule);
  concerned.move(moved);
  for (const { number, rows, rowCount } of grown) {
    const known = parts[number];
    const runs = known?.runs ?? new Runs();
    const from = known?.sessionOfRun.length ?? 0;
    // Runs of these rows may be left of a try that failed: what they begin with is not known.
    if (runs.rowCount !== rowCount) return null;
    addRows(runs, rows.since(rowCount), rowCount, stitching);
    moment.looked(rows.rowCount - rowCount);
    const part = new Part(rows, runs, known);
    parts[number] = part;
    for (let run = from; run < runs.count; run += 1) {
      const [actor, firstMs, lastMs] = [runs.actors[run]!, runs.firstMs[run]!, runs.lastMs[run]!];
      if (view.days.midnight?.isTouchedBy(part.startMs, firstMs, lastMs) === true) return null;
      concerned.grow(actor, part.startMs + firstMs, part.startMs + lastMs);
    }
  }
  const order = concernedRuns(view, parts, concerned, columns);
  if (order === null) return null;

  const isAlive = (session: number) => columns.heirs[session] === 0;
  for (const number of new Set(order.parts)) {
    if (parts[number] === view.parts[number]) parts[number] = new Part(rowsOf[number]!, parts[number]!.runs, parts[number]!);
    parts[number]!.forgetRows(isAlive);
  }
  for (const identity of concerned.identitiesTouched) stitching.latest.forget(identity);
  const stitcher = new Stitcher(parts, moment.identities, rule, columns, stitching.latest);
  stitcher.stitch(order);
  if (!readAtOnce(walkLong(stitcher, rowsOf)) || !readAtOnce(stitcher.ties.decide(rowsOf))) return null;
  const others = mergedByStart(view.others.filter(isAlive), byStart(columns.starts, view.count, columns.count).filter(isAlive), columns.starts);
  const numbers = parts.length === view.parts.length ? view.partNumbers : new Map<PartKey, number>(parts.map(({ key }, number) => [key, number]));
  return new SessionView(columns.facts(), columns.count, view.orderedCount, others, stitcher.latest.end, rowsOf, parts, numbers, view.days, moment.rows, moment.identities, view.kept);
}

function addRows(runs: Runs, rows: Parameters<RunSource["read"]>[0], firstRow: number, { source, maker }: Stitching): void {
  runs.addRows(rows.rowCount);
  maker.begin(runs);
  Scratch.atOnce((scratch) => maker.add(runs, source.read(rows, firstRow, scratch), orderOfFew(rows), 0, rows.rowCount));
  maker.end(runs);
}

/**
 * The runs of sessions that change, by their starts; these sessions are no more then. Null where there are too many.
 * @param parts with the runs that came since
 */
function concernedRuns(view: SessionView, parts: readonly Part[], concerned: Concerned, columns: SessionColumns): RunOrder | null {
  const { starts, lengths, heirs } = columns;
  const found: { readonly part: number; readonly run: number; readonly startMs: number }[] = [];
  let longEventCount = 0;
  for (const [number, part] of parts.entries()) {
    if (!concerned.mayBeIn(part)) continue;
    const { runs, startMs } = part;
    const former = view.parts[number];
    const known = former?.sessionOfRun ?? new Uint32Array(0);
    const byRow = new Set<number>();
    for (let run = 0; run < runs.count; run += 1) {
      const actor = runs.actors[run]!;
      if (!concerned.actors.has(actor)) continue;
      if (run < known.length) {
        const session = known[run]!;
        if (session === BY_ROW) byRow.add(run);
        else if (!concerned.isTouched(actor, starts[session]!, starts[session]! + lengths[session]!)) continue;
        else replace(view, session, heirs);
      }
      found.push({ part: number, run, startMs: startMs + runs.firstMs[run]! });
    }
    if (byRow.size > 0) {
      for (const run of byRow) longEventCount += runs.eventCounts[run]!;
      for (const session of former!.sessionsOfRows((row) => byRow.has(runOf(runs.ofRows[row]!)))) replace(view, session, heirs);
    }
    if (found.length + longEventCount > LIMITS.restitchedCount) return null;
  }
  found.sort((a, b) => a.startMs - b.startMs);
  return { parts: Uint32Array.from(found, ({ part }) => part), runs: Uint32Array.from(found, ({ run }) => run) };
}

function replace({ count, orderedCount, kept }: SessionView, session: number, heirs: Uint32Array): void {
  heirs[session] = count;
  if (session < orderedCount) kept.replaced(session, count);
}
