import { parameterError, shown } from "../../../core/base/errors.js";
import type { Dictionaries } from "../../../storage/column/dictionaries.js";
import { isActorBefore, type IdentityView } from "../../../identity/identity-view.js";
import type { IdentityScope, SessionRule } from "../../plan/plan.js";
import type { TableSnapshot } from "../../tables/tables.js";
import { eachLoaded, type Timeline, type TimelineSpan } from "../../tables/people/timeline.js";
import { SEQUENCE_COLUMN } from "../../../core/schema/fields.js";
import type { Money } from "../../answer/money.js";
import type { PaymentOf } from "../../tables/money/revenue-table.js";
import { whilePinned, type Rows } from "../../../storage/segment/rows.js";
import { codeAt } from "../../../storage/column/column.js";
import { sessionize, type Sessions } from "../../answer/sessionize.js";

/** The identity that a query is about, and the ids under which events name it. */
export interface IdentitySubject {
  readonly identity: number;
  /** Ascending. */
  readonly actors: readonly number[];
}

/** The identity that a plan names. @throws identity_not_found */
export function subjectOf({ subject }: IdentityScope, { identities, ends }: TableSnapshot): IdentitySubject {
  const [name, id, identity] =
    subject.kind === "email"
      ? (["email", subject.email, identities.findEmail(subject.email)] as const)
      : (["userId", subject.userId, identities.findId(subject.userId)] as const);
  if (identity === 0 || !isActorBefore(identity, ends)) throw parameterError("identity_not_found", name, `no person has the identifier ${shown(id)}`);
  return { identity, actors: [...identities.actorsOf(identity)].sort((a, b) => a - b) };
}

/** What a result is computed from, once the events of the subject are read. */
export interface SubjectEvents extends IdentitySubject {
  readonly timeline: Timeline;
  readonly dictionaries: Dictionaries;
  readonly identities: IdentityView;
  /** Sequence of the snapshot. */
  readonly sequence: number;
  readonly pause: () => Promise<void>;
}

/**
 * Computes a result from all events of one identity. Cost: a search in each segment not searched for it recently, and its rows.
 * @param upTo greatest sequence of the rows that count; null: that of the snapshot
 */
export async function withEventsOf<A>(
  subject: IdentitySubject,
  { rows, tables, pause, looked, dictionaries, identities, sequence }: TableSnapshot,
  upTo: number | null,
  answer: (events: SubjectEvents) => Promise<A>,
): Promise<A> {
  const timeline = await tables.timelines.of(subject, rows, upTo, { pause, looked });
  return await answer({ ...subject, timeline, dictionaries, identities, sequence, pause });
}

/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the timeline */
/** The revenue events of a timeline by index, including duplicates, and their amount in the reporting currency; null if they do not count. */
export type TimelineMoney = ReadonlyMap<number, Money | null>;

/** Finds the payments of an identity in its timeline. Sequences distinguish events of the same millisecond. Cost: one search per payment. */
export async function moneyOn(timeline: Timeline, payments: readonly PaymentOf[]): Promise<TimelineMoney> {
  const money = new Map<number, Money | null>();
  for (const { ms, sequence, amount } of payments) {
    const at = await placeOf(timeline, ms, sequence);
    if (at !== -1) money.set(at, amount);
  }
  return money;
}

async function placeOf(timeline: Timeline, ms: number, sequence: number): Promise<number> {
  const first = timeline.firstAt(ms);
  const isOnly = first < timeline.count && timeline.times[first] === ms && timeline.times[first + 1] !== ms;
  if (isOnly || timeline.times[first] !== ms) return isOnly ? first : -1;
  for (let at = first; at < timeline.count && timeline.times[at] === ms; at += 1) {
    const rows = timeline.rowsAt(at);
    if (sequence < rows.firstSequence || sequence > rows.lastSequence) continue;
    const found = await whilePinned([rows], async () => {
      await rows.load([SEQUENCE_COLUMN]);
      return rows.sequences()[timeline.rows[at]!] === sequence;
    });
    if (found) return at;
  }
  return -1;
}
/* eslint-enable @typescript-eslint/no-non-null-assertion */

/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the timeline */
const PLACE_COLUMNS = ["url", "hostname"] as const;

/** All sessions of an identity. Leaves out payments that a server reported, which have neither url nor hostname. */
export async function sessionsOf(timeline: Timeline, money: TimelineMoney, rule: SessionRule, pause: () => Promise<void>): Promise<Sessions> {
  const leftOut = new Uint8Array(timeline.count);
  const paid = new Set(Array.from(money.keys(), (at) => timeline.spanPlace(at)));
  const spans = timeline.spans.filter(({ rows }, place) => paid.has(place) && !PLACE_COLUMNS.some((column) => isEverywhere(rows, column)));
  await eachLoaded(spans, () => PLACE_COLUMNS, (span) => markLeftOut(timeline, span, money, leftOut), pause);
  const [projects] = await timeline.codes(["project"], pause);
  return sessionize(timeline.times, projects, leftOut, rule);
}

/** Whether all rows have a value, by the zone map alone. */
function isEverywhere(rows: Rows, column: string): boolean {
  return rows.zone(column)?.hasZero === false;
}

function markLeftOut(timeline: Timeline, { rows, from, to }: TimelineSpan, money: TimelineMoney, leftOut: Uint8Array): void {
  const urls = rows.column("url");
  const hostnames = rows.column("hostname");
  for (let at = from; at < to; at += 1) {
    const row = timeline.rows[at]!;
    if (codeAt(urls, row) === 0 && codeAt(hostnames, row) === 0 && money.has(at)) leftOut[at] = 1;
  }
}
/* eslint-enable @typescript-eslint/no-non-null-assertion */

/** Codes of the page view slugs. */
export function pageviewCodes(dictionaries: Dictionaries, slugs: readonly string[]): ReadonlySet<number> {
  const dictionary = dictionaries.named("slug");
  return new Set(slugs.map((slug) => dictionary.codeOf(slug)).filter((code) => code > 0));
}
