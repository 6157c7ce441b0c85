/* eslint-disable @typescript-eslint/no-non-null-assertion -- parts are bounded by their number */
import { LIMITS } from "../../base/limits.js";
import { areSameParts } from "../../base/same-parts.js";
import { Turns } from "../../base/turn.js";
import type { Missing } from "../../derived/missing.js";
import type { TableUse } from "../../derived/store-table.js";
import type { Range, SessionRule } from "../../plan/plan.js";
import type { Droppable, MemoryBudget } from "../../segment/memory-budget.js";
import type { Rows } from "../../segment/rows.js";
import { byStartInTurns } from "./by-start.js";
import { daysFor, includesDays, NO_DAYS, rowsOfDays, widenedDays, type DaySpan } from "./covered-days.js";
import { LatestSessions } from "./latest-sessions.js";
import { KeptStretches } from "./kept-stretches.js";
import { walkLong } from "./long-unions.js";
import { overMidnight, type CarriedPart } from "./over-midnight.js";
import { Part, keyOfRows, type PartKey } from "./part.js";
import { readInTurns } from "./reading.js";
import { restitched, type Stitching } from "./restitch.js";
import type { RunSource } from "./rows-to-run.js";
import { RunReader } from "./run-reader.js";
import { RunMaker } from "./runs.js";
import { changesSince, type SessionMoment } from "./session-changes.js";
import { SessionColumns } from "./session-columns.js";
import { SessionView } from "./session-view.js";
import { Stitcher } from "./stitcher.js";

/**
 * The sessions of a store, of all projects, in the days that were asked for: never cut by a range, by who is known to be who at the moment. Runs of
 * each segment are made once, and say nothing of who is who; sessions are stitched of them. What came since touches the sessions of those that it
 * is about.
 */
export class SessionTable implements Droppable {
  #view: SessionView | null = null;
  #stitching: Stitching | null = null;
  #working: Promise<void> | null = null;
  /** Of earlier days, when all were made. */
  #carried: readonly CarriedPart[] = [];
  #isReleased = false;
  byteLength = 0;
  lastUsed = 0;

  constructor(
    readonly budget: MemoryBudget,
    readonly use: TableUse,
    readonly source: RunSource,
    readonly rule: SessionRule,
  ) {}

  get pinned(): boolean {
    return this.use.readerCount > 0;
  }

  /** The sessions of a moment that a question about a range looks at; null where something is missing. Cost: what changed since the last moment. */
  at(moment: SessionMoment, range: Range, missing: Missing): SessionView | null {
    const needed = daysFor(range, this.rule);
    const view = this.#follow(moment, needed);
    if (view !== null) this.budget.touch(this);
    // What others wait for may be other days, and go wrong there.
    else if (this.#working !== null) missing.add(() => this.#working?.catch(() => undefined) ?? Promise.resolve());
    else missing.add(() => (this.#working ??= this.#stitchAll(moment, needed).finally(() => (this.#working = null))));
    return view;
  }

  /** Is counted no more: questions under way keep what they read. */
  release(): void {
    this.#isReleased = true;
    this.#view?.kept.release();
    this.budget.remove(this);
  }

  drop(): void {
    this.#view?.kept.release();
    this.#view = null;
    this.#stitching = null;
    this.#carried = [];
    this.byteLength = 0;
  }

  /** Null where all is to be made anew. */
  #follow(asked: SessionMoment, needed: DaySpan): SessionView | null {
    const view = this.#view;
    if (view === null || this.#stitching === null || !includesDays(view.days.whole, needed)) return null;
    const moment = { ...asked, rows: rowsOfDays(asked.rows, { ...view.days.whole, firstDay: view.days.earliestDay }) };
    const isSame = areSameParts(view.rows, moment.rows) && moment.identities.movedSince(view.identities)?.size === 0;
    if (isSame) return view;
    // The runs of heads would change while they are read.
    if (this.#working !== null) return null;
    if (view.count - this.#stitching.wholeCount > LIMITS.unorderedSessionCount) return null;
    const changes = changesSince(view, moment);
    const next = changes === null ? null : restitched(view, changes, moment, this.#stitching);
    // A try that was given up left runs and sessions behind: next all are made anew.
    if (next === null) this.#stitching = null;
    else this.#keep(next);
    return next;
  }

  /** Makes all sessions of the days that are needed, and of those that were, in turns. Cost: the runs, and the rows whose runs are not known. */
  async #stitchAll(moment: SessionMoment, needed: DaySpan): Promise<void> {
    const { rule, source } = this;
    const turns = new Turns();
    const maker = new RunMaker(rule.gapMs);
    const reader = new RunReader(source, maker, turns, moment.looked);
    const whole = widenedDays(this.#view?.days.whole ?? NO_DAYS, needed);
    const { days, all, carried } = await this.#partsOf(moment, whole, reader);
    const [parts, rowsOf] = [all.map(({ part }) => part), all.map(({ rows }) => rows)];
    const { identities } = moment;
    const rows = rowsOfDays(moment.rows, { ...whole, firstDay: days.earliestDay });
    const columns = new SessionColumns(rule.maxMs);
    const stitcher = new Stitcher(parts, identities, rule, columns, new LatestSessions());
    await stitcher.stitchAll(turns);
    const orderedCount = columns.count;
    await readInTurns(walkLong(stitcher, rowsOf), turns);
    await readInTurns(stitcher.ties.decide(rowsOf), turns);
    const numbers = new Map<PartKey, number>(parts.map(({ key }, number) => [key, number]));
    const kept = new KeptStretches(this.budget, orderedCount);
    const others = await byStartInTurns(columns.starts, orderedCount, columns.count, turns);
    // Not before: between turns the budget may drop what was there.
    this.#carried = carried;
    this.#stitching = { rule, source, maker, columns, wholeCount: columns.count, latest: stitcher.latest };
    this.#keep(new SessionView(columns.facts(), columns.count, orderedCount, others, stitcher.latest.end, rowsOf, parts, numbers, days, rows, identities, kept));
  }

  #keep(view: SessionView): void {
    if (this.#view?.kept !== view.kept) this.#view?.kept.release();
    this.#view = view;
    const { columns, latest, maker } = this.#stitching!;
    this.budget.remove(this);
    const held = [columns, latest, maker, ...view.parts, ...this.#carried.flatMap(({ late, actors }) => [late, actors])];
    this.byteLength = held.reduce((sum, { byteLength }) => sum + byteLength, view.days.midnight?.byteLength ?? 0);
    // All may have been made for a question that began before.
    if (this.#isReleased) view.kept.release();
    else this.budget.add(this);
  }

  /** Parts from old days to new ones, with their rows. */
  async #partsOf({ rows, identities }: SessionMoment, whole: DaySpan, reader: RunReader) {
    const known = new Map(this.#view?.wholeParts.map((part) => [part.key, part.runs]));
    const [former, { firstDay }] = [this.#carried, whole];
    const knownOf = (own: Rows) => known.get(keyOfRows(own));
    const ofDays = [...rowsOfDays(rows, whole)].sort((a, b) => a.day - b.day);
    const made = await reader.runsOf(ofDays.filter((own) => knownOf(own)?.rowCount !== own.rowCount));
    const own = ofDays.map((rows) => ({ part: new Part(rows, made.get(rows) ?? knownOf(rows)!), rows }));
    if (firstDay === -Infinity) return { days: { whole, earliestDay: firstDay, midnight: null }, all: own, carried: [] };
    const { parts: carried, midnight, earliestDay } = await overMidnight({ firstDay, own: own.map(({ part }) => part), rows, identities, former }, reader);
    return { days: { whole, earliestDay, midnight }, all: [...carried, ...own], carried };
  }
}
