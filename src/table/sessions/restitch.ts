/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows, parts and sessions are bounded by their columns */
import { grouped } from "../../base/grouped.js";
import { LIMITS } from "../../base/limits.js";
import { Scratch } from "../../base/scratch.js";
import type { SessionRule } from "../../plan/plan.js";
import { byStart, mergedByStart } from "./by-start.js";
import type { Continuations } from "./continuations.js";
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
  readonly continuations: Continuations;
}

/** What came of trying to go on from one moment to the next. */
export type Restitched =
  | { readonly kind: "view"; readonly view: SessionView }
  /** Columns of these were not in memory, and are being loaded: then it may be tried again. */
  | { readonly kind: "loading"; readonly loads: readonly Promise<void>[] }
  /** All are to be made anew. */
  | { readonly kind: "anew" };

export const ANEW: Restitched = { kind: "anew" };

/**
 * The sessions of a moment: those of an earlier one, in which the sessions that changes touch are made anew, behind all others; what came behind all
 * that was known of somebody is added to the latest one. In one turn. All are to be made anew where too many are concerned, or a session may go over
 * the first midnight.
 * Cost: the sessions of those who moved, or of whom something came late; some 200 ns for each event of the ones that change, and 2 for each row that
 * lies beside it in time, and for each of a head.
 */
export function restitched(view: SessionView, changes: SessionChanges, moment: SessionMoment, stitching: Stitching): Restitched {
  const { columns, rule, latest, source, continuations } = stitching;
  const { rowsOf, grown, moved } = changes;
  const { midnight } = view.days;
  if (midnight?.isTouchedByMoves(moved, view.taken.identities, moment.identities) === true) return ANEW;
  const parts = [...view.parts];
  for (const { number, rows } of grown) parts[number] = new Part(rows, parts[number]);
  const untaken = view.taken.untaken.filter(({ actor }) => actor !== 0).map((event): NewerEvent => ({ ...event, identity: moment.identities.identityOf(event.actor) }));
  const newer = [...untaken, ...newerEvents(changes, moment, parts, source)];
  if (newer.some(({ dayMs, ms }) => midnight?.isTouchedBy(dayMs, ms - dayMs) === true)) return ANEW;

  const isAlive = (session: number) => columns.heirs[session] === 0;
  const replace = (session: number) => {
    columns.heirs[session] = view.count;
    if (session < view.orderedCount) view.kept.replaced(session, view.count);
  };
  const stitcher = new Stitcher(parts, moment.identities, rule, columns, latest, { continuations, replace });
  const touched = new Touched(view.taken.identities, moment.identities);
  touched.move(moved);
  for (const own of grouped(newer, ({ identity }) => identity).values()) if (!own.every((event) => stitcher.isBehindAll(event))) touched.grow(own);
  const replaced = touched.sessions(columns, latest, rule.gapMs, LIMITS.restitchedCount);
  if (replaced === null) return ANEW;
  const found = rowsOfSessions(view, replaced, rowsOf, moment.identities, source.pageviewTable());
  if (found.kind !== "events") return found;
  moment.looked(newer.length + found.events.length);

  for (const session of replaced) replace(session);
  const events = [...found.events, ...newer].sort((a, b) => a.ms - b.ms || a.part - b.part || a.row - b.row);
  const sessions = new Map(events.map((event) => [event, stitcher.add(event)]));
  for (const event of newer) parts[event.part]!.sessions[event.row] = sessions.get(event)!;
  for (const [number, own] of grouped(found.events, ({ part }) => part)) {
    if (parts[number] === view.parts[number]) parts[number] = new Part(rowsOf[number]!, parts[number]);
    parts[number]!.forgetRows((session) => isAlive(continuations.newestOf(session, columns.count)));
    parts[number]!.putRows(Uint32Array.from(own, ({ row }) => row), Uint32Array.from(own, (event) => sessions.get(event)!));
  }
  if (!readAtOnce(stitcher.ties.decide(rowsOf))) return ANEW;
  const others = mergedByStart(view.others.filter(isAlive), byStart(columns.starts, view.count, columns.count).filter(isAlive), columns.starts);
  const numbers = parts.length === view.parts.length ? view.partNumbers : new Map<PartKey, number>(parts.map(({ key }, number) => [key, number]));
  const { days, orderedCount, kept } = view;
  const { rows, identities, sequence } = moment;
  return { kind: "view", view: new SessionView(columns.facts(), columns.count, orderedCount, others, latest.end, rowsOf, parts, numbers, days, { rows, identities, sequence, untaken: [] }, kept, continuations) };
}

/** An event that came since. */
interface NewerEvent extends SessionEvent {
  /** Epoch ms of the start of its day. */
  readonly dayMs: number;
}

/** Cost: the rows that came. */
function newerEvents({ grown }: SessionChanges, { identities }: SessionMoment, parts: readonly Part[], source: EventSource): NewerEvent[] {
  const events: NewerEvent[] = [];
  for (const { number: part, rows, rowCount } of grown) {
    const dayMs = parts[part]!.startMs;
    Scratch.atOnce((scratch) => {
      const read = source.read(rows.slice(rowCount), scratch);
      for (let at = 0; at < read.times.length; at += 1) {
        const actor = actorAt(read, at);
        if (actor === 0) continue;
        const project = read.projects === null ? read.onlyProject : read.projects[at]!;
        const isPageview = read.isPageview[read.slugs[at]!] === 1;
        events.push({ dayMs, identity: identities.identityOf(actor), project, part, row: rowCount + at, ms: dayMs + read.times[at]!, url: read.urls[at]!, isPageview });
      }
    });
  }
  return events;
}
