/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows and sessions are bounded by their columns */
import type { IdentityView } from "../../../identity/identity-view.js";
import type { SessionRule } from "../../plan/plan.js";
import type { Continuations } from "./carried-events.js";
import { actorAt } from "./event-source.js";
import type { SessionPart } from "./session-part.js";
import type { OrderedEvents } from "./events-in-order.js";
import type { SessionsSoFar } from "./latest-sessions.js";
import { PROJECT_SPAN, type SessionColumns } from "./session-columns.js";
import { Ties, type EventOfPart } from "./ties.js";

export interface SessionEvent extends EventOfPart {
  readonly identity: number;
  readonly project: number;
  /** Epoch ms. */
  readonly ms: number;
  readonly isPageview: boolean;
}

/** Callbacks and state for continuing earlier sessions. */
export interface ContinuedSessions {
  readonly continuations: Continuations;
  replace(session: number): void;
}

/** Sessionizes events in order of time; new sessions are numbered after the existing ones. */
export class Sessionizer {
  readonly ties: Ties;
  readonly firstSession: number;
  /** By identity and project: the latest session of identities active in several projects at once, except the very latest. Some are over. */
  readonly #elsewhere = new Map<number, number>();

  /** @param continued null: there are no sessions yet, and events of one head and millisecond come in the order of their ids */
  constructor(
    readonly parts: readonly SessionPart[],
    readonly identities: IdentityView,
    readonly rule: SessionRule,
    readonly columns: SessionColumns,
    readonly latest: SessionsSoFar,
    readonly continued: ContinuedSessions | null = null,
  ) {
    this.firstSession = columns.count;
    this.ties = new Ties(columns, parts, continued === null);
  }

  /** Puts events of a part into sessions, and notes these by row. */
  addAll({ part, dayMs, events, order, rowNumbers }: OrderedEvents, from: number, to: number): void {
    const { projects, onlyProject, slugs, urls, times, isPageview } = events;
    const { identities } = this;
    const { sessions } = this.parts[part]!;
    for (let at = from; at < to; at += 1) {
      const place = order === null ? at : order[at]!;
      const actor = actorAt(events, place);
      if (actor === 0) continue;
      const row = rowNumbers === null ? place : rowNumbers[place]!;
      const project = projects === null ? onlyProject : projects[place]!;
      sessions[row] = this.#put(identities.identityOf(actor), project, part, row, dayMs + times[place]!, urls[place]!, isPageview[slugs[place]!]!);
    }
  }

  add({ identity, project, part, row, ms, url, isPageview }: SessionEvent): number {
    return this.#put(identity, project, part, row, ms, url, isPageview ? 1 : 0);
  }

  /** Whether an event follows everything known of its identity, so that it can affect only the latest session. */
  isBehindAll({ identity, project, ms }: SessionEvent): boolean {
    const session = this.latest.of(identity);
    return session < 0 || (this.#isLast(session, identity) && this.columns.projects[session] === project && ms > this.latest.endOf(identity));
  }

  #put(identity: number, project: number, part: number, row: number, ms: number, url: number, isPageview: number): number {
    const { columns, latest } = this;
    let session = this.#sessionGoingOn(identity, project, ms);
    const isNew = session < 0;
    if (isNew) {
      session = columns.add(identity, project, ms);
      columns.firstParts[session] = part;
      columns.firstRows[session] = row;
      columns.entryUrls[session] = url;
      latest.put(identity, session, ms);
    } else latest.goOn(identity, ms);
    const length = ms - columns.starts[session]!;
    // Before `exitUrls` is set: `note` may mark exits of the previous millisecond as undecided, which this event must then override.
    this.ties.note(session, part, row, url, ms, !isNew && columns.lengths[session] === length);
    columns.lengths[session] = length;
    columns.eventCounts[session]! += 1;
    columns.pageviewCounts[session]! += isPageview;
    if (url !== 0) columns.exitUrls[session] = url;
    return session;
  }

  /** The session that an event continues; -1 when it begins one, which will be the latest. */
  #sessionGoingOn(identity: number, project: number, ms: number): number {
    const { columns: { projects }, latest } = this;
    const latestSession = latest.of(identity);
    if (latestSession < this.firstSession) return latestSession < 0 ? -1 : this.#continued(latestSession, identity, project, ms);
    if (ms - latest.endOf(identity) > this.rule.gapMs) return -1;
    const latestProject = projects[latestSession]!;
    if (latestProject === project) return this.#goesOn(latestSession, ms) ? latestSession : -1;
    const session = this.#elsewhere.get(identity * PROJECT_SPAN + project) ?? -1;
    if (session >= 0 && this.#goesOn(session, ms)) return session;
    this.#elsewhere.set(identity * PROJECT_SPAN + latestProject, latestSession);
    return -1;
  }

  /** Continues an earlier session after its last event; -1 when it is over. */
  #continued(session: number, identity: number, project: number, ms: number): number {
    const { columns, continued, latest } = this;
    if (continued === null || !this.#isLast(session, identity) || columns.projects[session] !== project) return -1;
    if (ms <= latest.endOf(identity) || !this.#goesOn(session, ms)) return -1;
    const next = columns.addCopy(session);
    continued.replace(session);
    continued.continuations.add(session, next);
    latest.put(identity, next, ms);
    return next;
  }

  /** Whether a session is alive and has the last event of its identity. */
  #isLast(session: number, identity: number): boolean {
    const { replacedBy, starts, lengths } = this.columns;
    return replacedBy[session] === 0 && starts[session]! + lengths[session]! === this.latest.endOf(identity);
  }

  #goesOn(session: number, ms: number): boolean {
    const { columns: { starts, lengths }, rule: { gapMs, maxMs } } = this;
    const offset = ms - starts[session]!;
    return offset - lengths[session]! <= gapMs && offset <= maxMs;
  }
}
