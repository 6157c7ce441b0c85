/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows and runs are bounded by their columns */
import { grown } from "./grown.js";
import { actorAt, type RowsToRun } from "./rows-to-run.js";

/** In no run, or no row. */
export const NONE = 0xffffffff;
/** What is told of a row beside its run. */
export const PAGEVIEW_FLAG = 1;
export const URL_FLAG = 2;
const FLAG_BITS = 2;

/** Runs that a part has room for first, if it has so many rows: each time that there is more room all columns are copied. */
const FIRST_CAPACITY = 32 * 1024;
const RUN_BYTES = 11 * 4;
/** Codes of projects are below it. */
const PROJECT_SPAN = 2 ** 24;

/** The run of a row, as `ofRows` has it. */
export function runOf(entry: number): number {
  return entry >>> FLAG_BITS;
}

/**
 * Runs of one segment or head: events of one actor in one project without a pause of more than the gap. They say nothing of who is who.
 * 44 bytes a run, and 4 a row. Those of a head grow: what comes later makes runs of its own.
 */
export class Runs {
  #count = 0;
  #rowCount = 0;
  actors = new Uint32Array(0);
  /** No actor that is a user is greater, and no other one. */
  greatestUser = 0;
  greatestAnonymous = 0;
  projects = new Uint32Array(0);
  /** Ms of the day. */
  firstMs = new Int32Array(0);
  lastMs = new Int32Array(0);
  firstRows = new Uint32Array(0);
  /** Code of the first event's url; 0 for none. */
  entryUrls = new Uint32Array(0);
  /** The last event with a url, its ms of the day, and the code of the url; `NONE` and 0 where no event has one. */
  exitRows = new Uint32Array(0);
  exitMs = new Int32Array(0);
  exitUrls = new Uint32Array(0);
  eventCounts = new Uint32Array(0);
  pageviewCounts = new Uint32Array(0);
  /** By row: four times its run, and flags; `NONE` for an event that takes no part. */
  ofRows = new Uint32Array(0);

  get count(): number {
    return this.#count;
  }

  /** Rows so far. */
  get rowCount(): number {
    return this.#rowCount;
  }

  get byteLength(): number {
    return this.actors.length * RUN_BYTES + this.ofRows.byteLength;
  }

  /** Makes room for rows, in no run as yet. */
  addRows(rowCount: number): void {
    const end = this.#rowCount + rowCount;
    this.ofRows = grown(this.ofRows, end);
    this.ofRows.fill(NONE, this.#rowCount, end);
    this.#rowCount = end;
  }

  /** A run that begins with a row. */
  begin(actor: number, project: number, row: number, ms: number, url: number): number {
    const run = this.#count;
    if (run === this.actors.length) this.#reserve(run + 1);
    this.#count = run + 1;
    this.actors[run] = actor;
    if ((actor & 1) === 0) this.greatestUser = Math.max(this.greatestUser, actor);
    else this.greatestAnonymous = Math.max(this.greatestAnonymous, actor);
    this.projects[run] = project;
    this.firstMs[run] = this.lastMs[run] = ms;
    this.firstRows[run] = row;
    this.entryUrls[run] = url;
    this.exitRows[run] = NONE;
    this.exitUrls[run] = 0;
    this.eventCounts[run] = 0;
    this.pageviewCounts[run] = 0;
    return run;
  }

  /** Holds none, and keeps its room for the next ones. */
  clear(): void {
    this.#count = 0;
    this.#rowCount = 0;
    this.greatestUser = this.greatestAnonymous = 0;
  }

  /** The same runs, without spare room. */
  trimmed(): Runs {
    const trimmed = new Runs();
    trimmed.ofRows = this.ofRows.slice(0, this.#rowCount);
    trimmed.#rowCount = this.#rowCount;
    trimmed.#take(this, this.#count, this.#count);
    trimmed.#count = this.#count;
    trimmed.greatestUser = this.greatestUser;
    trimmed.greatestAnonymous = this.greatestAnonymous;
    return trimmed;
  }

  #reserve(count: number): void {
    this.#take(this, this.#count, Math.max(count, this.actors.length * 2, Math.min(this.#rowCount, FIRST_CAPACITY), 64));
  }

  /** Copies runs into columns of some length. */
  #take(from: Runs, count: number, length: number): void {
    const copied = <A extends Uint32Array | Int32Array>(numbers: A, copy: A): A => {
      copy.set(numbers.subarray(0, count) as never);
      return copy;
    };
    this.actors = copied(from.actors, new Uint32Array(length));
    this.projects = copied(from.projects, new Uint32Array(length));
    this.firstMs = copied(from.firstMs, new Int32Array(length));
    this.lastMs = copied(from.lastMs, new Int32Array(length));
    this.firstRows = copied(from.firstRows, new Uint32Array(length));
    this.exitRows = copied(from.exitRows, new Uint32Array(length));
    this.exitMs = copied(from.exitMs, new Int32Array(length));
    this.entryUrls = copied(from.entryUrls, new Uint32Array(length));
    this.exitUrls = copied(from.exitUrls, new Uint32Array(length));
    this.eventCounts = copied(from.eventCounts, new Uint32Array(length));
    this.pageviewCounts = copied(from.pageviewCounts, new Uint32Array(length));
  }
}

/** Makes runs of rows in order. One part at a time: the scratch is one for all. */
export class RunMaker {
  /** By actor: 1 more than the run that it is in. Zero between parts. */
  #open = new Uint32Array(1024);
  /** Runs of those who were in several projects, which are gone on with there. */
  readonly #elsewhere = new Map<number, number>();
  #firstRun = 0;

  constructor(readonly gapMs: number) {}

  get byteLength(): number {
    return this.#open.byteLength;
  }

  /** Begins a part, or the rows that came to it since. */
  begin(runs: Runs): void {
    this.#firstRun = runs.count;
  }

  /** Adds some rows in their order. Cost: some 15 ns a row. @param order null: rows from `from` to before `to` as they stand */
  add(runs: Runs, rows: RowsToRun, order: Uint32Array | null, from: number, to: number): void {
    const { projects, urls, times, isPageview, leftOut, slugs, onlyProject, firstRow } = rows;
    const { gapMs } = this;
    const { ofRows } = runs;
    for (let at = from; at < to; at += 1) {
      // Places in the columns; a head's begin with what came since.
      const place = order === null ? at : order[at]!;
      const actor = actorAt(rows, place);
      if (actor === 0 || (leftOut !== null && leftOut[place] === 1)) continue;
      if (actor >= this.#open.length) this.#open = grown(this.#open, actor + 1);
      const ms = times[place]!;
      const url = urls[place]!;
      const project = projects === null ? onlyProject : projects[place]!;
      let run = this.#open[actor]! - 1;
      if (run >= 0 && runs.projects[run] !== project) run = this.#switched(runs, run, actor, project);
      if (run < 0 || ms - runs.lastMs[run]! > gapMs) {
        run = runs.begin(actor, project, firstRow + place, ms, url);
        this.#open[actor] = run + 1;
      }
      runs.lastMs[run] = ms;
      runs.eventCounts[run]! += 1;
      let flags = 0;
      if (isPageview[slugs[place]!] === 1) {
        runs.pageviewCounts[run]! += 1;
        flags = PAGEVIEW_FLAG;
      }
      if (url !== 0) {
        runs.exitUrls[run] = url;
        runs.exitRows[run] = firstRow + place;
        runs.exitMs[run] = ms;
        flags |= URL_FLAG;
      }
      ofRows[firstRow + place] = (run << FLAG_BITS) | flags;
    }
  }

  /** Leaves the scratch empty. */
  end(runs: Runs): void {
    for (let run = this.#firstRun; run < runs.count; run += 1) this.#open[runs.actors[run]!] = 0;
    this.#elsewhere.clear();
  }

  /** The run that an actor is in in another project; -1 for none. */
  #switched(runs: Runs, run: number, actor: number, project: number): number {
    this.#elsewhere.set(actor * PROJECT_SPAN + runs.projects[run]!, run);
    const other = this.#elsewhere.get(actor * PROJECT_SPAN + project) ?? -1;
    if (other >= 0) this.#open[actor] = other + 1;
    return other;
  }
}
