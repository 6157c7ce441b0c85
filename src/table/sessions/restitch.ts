/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows, parts and sessions are bounded by their columns */
import { grouped } from "../../base/grouped.js";
import { LIMITS } from "../../base/limits.js";
import { Scratch } from "../../base/scratch.js";
import type { SessionRule } from "../../plan/plan.js";
import { byStart, mergedByStart } from "./by-start.js";
import { actorAt, type EventSource } from "./event-columns.js";
import type { LatestSessions } from "./latest-sessions.js";
import { Part, type PartKey } from "./part.js";
import { readAtOnce } from "./reading.js";
import { rowsOfSessions } from "./rows-of-sessions.js";
import type { SessionChanges, SessionMoment } from "./session-changes.js";
import type { SessionColumns } from "./session-columns.js";
import { SessionView } from "./session-view.js";
import { Stitcher, type SessionEvent } from "./stitcher.js";
import { Touched } from "./touched.js";

/** What a table goes on with from one moment to the next. */
export interface Stitching {
  readonly rule: SessionRule;
  readonly source: EventSource;
  readonly columns: SessionColumns;
  /** Sessions when all were made. */
  readonly wholeCount: number;
  readonly latest: LatestSessions;
}

/** What came of trying to go on from one moment to the next. */
export type Restitched =
  | { readonly kind: "view"; readonly view: SessionView }
  /** Columns of these were not in memory, and are being loaded: then it may be tried again. */
  | { readonly kind: "loading"; readonly loads: readonly Promise<void>[] }
  /** All are to be made anew. */
  | { readonly kind: "anew" };

const ANEW: Restitched = { kind: "anew" };

/**
 * The sessions of a moment: those of an earlier one, in which the sessions that changes touch are made anew, behind all others. In one turn. All are
 * to be made anew where too many are concerned, or a session may go over the first midnight.
 * Cost: the sessions of those who are concerned; some 200 ns for each event of the ones that change, and a look at what lies beside it in time.
 */
export function restitched(view: SessionView, changes: SessionChanges, moment: SessionMoment, stitching: Stitching): Restitched {
  const { columns, rule, latest, source } = stitching;
  const { rowsOf, grown, moved } = changes;
  if (view.days.midnight?.isTouchedByMoves(moved, view.identities, moment.identities) === true) return ANEW;
  const touched = new Touched(view.identities, moment.identities);
  touched.move(moved);
  const parts = [...view.parts];
  for (const { number, rows } of grown) parts[number] = new Part(rows, parts[number]);
  const newer = newerEvents(changes, moment, parts, source);
  for (const { actor, ms, dayMs } of newer) {
    if (view.days.midnight?.isTouchedBy(dayMs, ms - dayMs) === true) return ANEW;
    touched.grow(actor, ms);
  }
  const replaced = touched.sessions(columns, latest, rule.gapMs);
  let eventCount = newer.length;
  for (const session of replaced) eventCount += columns.eventCounts[session]!;
  if (eventCount > LIMITS.restitchedCount) return ANEW;
  const found = rowsOfSessions(view, replaced, rowsOf, moment.identities, source.pageviewTable());
  if (found.kind === "loading") return found;
  for (const { rows, rowCount } of grown) moment.looked(rows.rowCount - rowCount);

  for (const session of replaced) {
    columns.heirs[session] = view.count;
    if (session < view.orderedCount) view.kept.replaced(session, view.count);
  }
  const isAlive = (session: number) => columns.heirs[session] === 0;
  const stitcher = new Stitcher(parts, moment.identities, rule, columns, latest, false);
  const events = [...found.events, ...newer].sort((a, b) => a.ms - b.ms || a.part - b.part || a.row - b.row);
  const sessions = new Map(events.map((event) => [event, stitcher.add(event)]));
  for (const event of newer) parts[event.part]!.sessions[event.row] = sessions.get(event)!;
  for (const [number, own] of grouped(found.events, ({ part }) => part)) {
    if (parts[number] === view.parts[number]) parts[number] = new Part(rowsOf[number]!, parts[number]);
    parts[number]!.forgetRows(isAlive);
    parts[number]!.putRows(Uint32Array.from(own, ({ row }) => row), Uint32Array.from(own, (event) => sessions.get(event)!));
  }
  if (!readAtOnce(stitcher.ties.decide(rowsOf))) return ANEW;
  const others = mergedByStart(view.others.filter(isAlive), byStart(columns.starts, view.count, columns.count).filter(isAlive), columns.starts);
  const numbers = parts.length === view.parts.length ? view.partNumbers : new Map<PartKey, number>(parts.map(({ key }, number) => [key, number]));
  const next = new SessionView(columns.facts(), columns.count, view.orderedCount, others, latest.end, rowsOf, parts, numbers, view.days, moment.rows, moment.identities, view.kept);
  return { kind: "view", view: next };
}

/** An event of a head that came since, and whose it is. */
interface NewerEvent extends SessionEvent {
  readonly actor: number;
  /** Epoch ms of the start of its day. */
  readonly dayMs: number;
}

/** Cost: the rows that came. */
function newerEvents({ grown }: SessionChanges, { identities }: SessionMoment, parts: readonly Part[], source: EventSource): NewerEvent[] {
  const events: NewerEvent[] = [];
  for (const { number: part, rows, rowCount } of grown) {
    const dayMs = parts[part]!.startMs;
    Scratch.atOnce((scratch) => {
      const read = source.read(rows.since(rowCount), scratch);
      for (let at = 0; at < read.times.length; at += 1) {
        const actor = actorAt(read, at);
        if (actor === 0) continue;
        const project = read.projects === null ? read.onlyProject : read.projects[at]!;
        const isPageview = read.isPageview[read.slugs[at]!] === 1;
        events.push({ actor, dayMs, identity: identities.identityOf(actor), project, part, row: rowCount + at, ms: dayMs + read.times[at]!, url: read.urls[at]!, isPageview });
      }
    });
  }
  return events;
}
