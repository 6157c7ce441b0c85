/* eslint-disable @typescript-eslint/no-non-null-assertion -- runs and sessions are bounded by their columns */
import { LIMITS } from "../../base/limits.js";
import type { Turns } from "../../base/turn.js";
import type { IdentityView } from "../../identity/identity-view.js";
import type { SessionRule } from "../../plan/plan.js";
import type { Part } from "./part.js";
import { NONE, type Runs } from "./runs.js";
import type { LatestSessions } from "./latest-sessions.js";
import type { SessionColumns } from "./session-columns.js";
import { Ties } from "./ties.js";

/** Codes of projects are below it. */
const PROJECT_SPAN = 2 ** 24;
/** What a run costs, in values. */
const VALUES_PER_RUN = 24;
/** And a session, in the end. */
const VALUES_PER_SESSION = 16;

/**
 * Unites runs of parts into sessions, in the order of their starts, behind the sessions that are there. Unions that are longer than a session
 * may be are left to be walked.
 */
export class Stitcher {
  readonly ties: Ties;
  /** The first session that it makes. */
  readonly firstSession: number;
  /** Epoch ms of the last event of each session from the first one on, and of its last one with a url. */
  #ends: Float64Array;
  #exits: Float64Array;
  /** Sessions that are unions too long for one, each once. */
  readonly long: number[] = [];
  /** The latest sessions of those who are in several projects, in the others. */
  readonly #elsewhere = new Map<number, number>();

  constructor(
    readonly parts: readonly Part[],
    readonly identities: IdentityView,
    readonly rule: SessionRule,
    readonly columns: SessionColumns,
    /** Has none as yet of those whose runs are stitched. */
    readonly latest: LatestSessions,
  ) {
    this.firstSession = columns.count;
    this.#ends = new Float64Array(0);
    this.#exits = new Float64Array(0);
    this.ties = new Ties(columns, parts);
  }

  /** Stitches all runs. */
  async stitchAll(turns: Turns): Promise<void> {
    // Room for what comes later: the first of it would copy all.
    this.#reserve(this.parts.reduce((sum, { runs }) => sum + runs.count, 0), LIMITS.unorderedSessionCount);
    await this.latest.reserveInTurns(this.parts.reduce((most, { runs }) => Math.max(most, runs.greatestUser, runs.greatestAnonymous), 0) + 1, turns);
    for (let from = 0, to = 0; from < this.parts.length; from = to) {
      const { startMs } = this.parts[from]!;
      while (to < this.parts.length && this.parts[to]!.startMs === startMs) to += 1;
      if (to - from === 1 && this.parts[from]!.sealed) {
        await turns.inPieces(this.parts[from]!.runs.count, (first, end) => this.#addRuns(from, first, end), VALUES_PER_RUN);
        continue;
      }
      const order = runsInOrder(this.parts, from, to);
      await turns.inPieces(order.runs.length, (first, end) => this.#addInOrder(order, first, end), VALUES_PER_RUN);
    }
    const { firstSession, columns } = this;
    await turns.inPieces(columns.count - firstSession, (from, to) => this.#measure(firstSession + from, firstSession + to), VALUES_PER_SESSION);
  }

  /** Stitches some runs, among them all of each session that they may be in. @param order by their starts */
  stitch(order: RunOrder): void {
    this.#reserve(order.runs.length, 0);
    this.#addInOrder(order, 0, order.runs.length);
    this.#measure(this.firstSession, this.columns.count);
  }

  #reserve(runCount: number, spareCount: number): void {
    this.columns.reserve(this.firstSession + runCount + spareCount);
    this.#ends = new Float64Array(runCount);
    this.#exits = new Float64Array(runCount);
  }

  #addInOrder({ parts, runs }: RunOrder, from: number, to: number): void {
    for (let at = from; at < to; at += 1) this.#addRuns(parts[at]!, runs[at]!, runs[at]! + 1);
  }

  /** Adds runs of a part, which are in order and start no earlier than those before. */
  #addRuns(partNumber: number, from: number, to: number): void {
    const part = this.parts[partNumber]!;
    const { runs, sessionOfRun, startMs: dayMs } = part;
    const { identities, latest, firstSession } = this;
    const { gapMs } = this.rule;
    for (let run = from; run < to; run += 1) {
      const identity = identities.identityOf(runs.actors[run]!);
      const project = runs.projects[run]!;
      const startMs = dayMs + runs.firstMs[run]!;
      let session = latest.of(identity);
      let endMs = latest.endOf(identity);
      if (session >= 0 && latest.projectOf(identity) !== project) {
        session = this.#switched(session, identity, project);
        endMs = session < 0 ? 0 : this.#ends[session - firstSession]!;
      }
      if (session >= 0 && startMs - endMs <= gapMs) this.#unite(session, identity, partNumber, runs, run, dayMs);
      else session = this.#begin(identity, project, partNumber, runs, run, dayMs);
      sessionOfRun[run] = session;
    }
  }

  #begin(identity: number, project: number, partNumber: number, runs: Runs, run: number, dayMs: number): number {
    const { columns } = this;
    const startMs = dayMs + runs.firstMs[run]!;
    const session = columns.add(identity, project, startMs);
    columns.eventCounts[session] = runs.eventCounts[run]!;
    columns.pageviewCounts[session] = runs.pageviewCounts[run]!;
    columns.firstParts[session] = partNumber;
    columns.firstRows[session] = runs.firstRows[run]!;
    columns.entryUrls[session] = runs.entryUrls[run]!;
    const endMs = dayMs + runs.lastMs[run]!;
    this.latest.put(identity, session, project, endMs);
    this.#ends[session - this.firstSession] = endMs;
    if (runs.exitRows[run] !== NONE) {
      columns.exitParts[session] = partNumber;
      columns.exitRows[session] = runs.exitRows[run]!;
      columns.exitUrls[session] = runs.exitUrls[run]!;
      this.#exits[session - this.firstSession] = dayMs + runs.exitMs[run]!;
    }
    if (endMs - startMs > this.rule.maxMs) this.long.push(session);
    return session;
  }

  #unite(session: number, identity: number, partNumber: number, runs: Runs, run: number, dayMs: number): void {
    const { columns, ties } = this;
    const { maxMs } = this.rule;
    columns.eventCounts[session]! += runs.eventCounts[run]!;
    columns.pageviewCounts[session]! += runs.pageviewCounts[run]!;
    const startMs = columns.starts[session]!;
    if (dayMs + runs.firstMs[run]! === startMs) ties.first(session, { part: partNumber, row: runs.firstRows[run]!, url: runs.entryUrls[run]! }, true);
    const endMs = dayMs + runs.lastMs[run]!;
    const place = session - this.firstSession;
    if (endMs > this.#ends[place]!) {
      if (endMs - startMs > maxMs && this.#ends[place]! - startMs <= maxMs) this.long.push(session);
      this.#ends[place] = endMs;
      if (this.latest.of(identity) === session) this.latest.goOn(identity, endMs);
    }
    if (runs.exitRows[run] === NONE) return;
    const exitMs = dayMs + runs.exitMs[run]!;
    const isKnown = columns.exitParts[session] !== NONE;
    if (isKnown && exitMs < this.#exits[place]!) return;
    ties.exit(session, { part: partNumber, row: runs.exitRows[run]!, url: runs.exitUrls[run]! }, isKnown && exitMs === this.#exits[place]!);
    this.#exits[place] = exitMs;
  }

  /** The latest session of an identity in another project; -1 for none. */
  #switched(session: number, identity: number, project: number): number {
    this.#elsewhere.set(identity * PROJECT_SPAN + this.columns.projects[session]!, session);
    return this.#elsewhere.get(identity * PROJECT_SPAN + project) ?? -1;
  }

  #measure(from: number, to: number): void {
    const { columns, firstSession } = this;
    const { starts, lengths, exitOffsets } = columns;
    for (let session = from; session < to; session += 1) {
      lengths[session] = this.#ends[session - firstSession]! - starts[session]!;
      exitOffsets[session] = this.#exits[session - firstSession]! - starts[session]!;
    }
  }
}

/** Runs, each with the number of its part. */
export interface RunOrder {
  readonly parts: Uint32Array;
  readonly runs: Uint32Array;
}

/** Runs below it: times and their places make one exact number. */
const PLACE_SPAN = 2 ** 26;

/** The runs of all parts of one day by their starts. */
function runsInOrder(parts: readonly Part[], from: number, to: number): RunOrder {
  const ofDay = parts.slice(from, to);
  const count = ofDay.reduce((sum, { runs }) => sum + runs.count, 0);
  const keys = new Float64Array(count);
  const all = { parts: new Uint32Array(count), runs: new Uint32Array(count) };
  let place = 0;
  ofDay.forEach(({ runs }, at) => {
    for (let run = 0; run < runs.count; run += 1, place += 1) {
      all.parts[place] = from + at;
      all.runs[place] = run;
      keys[place] = runs.firstMs[run]! * PLACE_SPAN + place;
    }
  });
  keys.sort();
  const order = { parts: new Uint32Array(count), runs: new Uint32Array(count) };
  for (let at = 0; at < count; at += 1) {
    const next = keys[at]! % PLACE_SPAN;
    order.parts[at] = all.parts[next]!;
    order.runs[at] = all.runs[next]!;
  }
  return order;
}
