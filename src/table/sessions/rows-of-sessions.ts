/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows, parts and sessions are bounded by their columns */
import { LIMITS } from "../../base/limits.js";
import { dayStartMs } from "../../base/time.js";
import { codeAt } from "../../column/column.js";
import { firstAtLeast } from "../../column/search.js";
import type { IdentityView } from "../../identity/identity-view.js";
import { TIME_COLUMN } from "../../schema/fields.js";
import type { Rows } from "../../segment/rows.js";
import { ACTOR_COLUMNS, actorOf } from "../../segment/who.js";
import { NONE } from "./part.js";
import type { SessionView } from "./session-view.js";
import type { SessionEvent } from "./stitcher.js";

const COLUMNS = [TIME_COLUMN, ...ACTOR_COLUMNS, "slug", "url"];

/** Epoch ms, both included. */
interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The events of some sessions, part by part by their rows; or what is being loaded for that; or nothing, where too many rows lie beside them. */
export type RowsFound =
  | { readonly kind: "events"; readonly events: readonly SessionEvent[] }
  | { readonly kind: "loading"; readonly loads: readonly Promise<void>[] }
  | { readonly kind: "anew" };

/**
 * The events of some sessions of a view, of those who are who now. Cost: some 2 ns for each row of their parts that lies between the start and the
 * end of one of them, and for all rows of heads.
 * @param rowsOf by number of the part
 */
export function rowsOfSessions(view: SessionView, sessions: ReadonlySet<number>, rowsOf: readonly Rows[], identities: IdentityView, isPageview: Uint8Array): RowsFound {
  const spans = joinedSpans(view, sessions);
  const parts = [...view.parts.keys()].filter((part) => spansIn(spans, view.rowsOf[part]!).length > 0);
  const loads = parts.flatMap((part) => rowsOf[part]!.load(COLUMNS) ?? []);
  // Who waits for them hears of it: nobody does who waits for something else.
  for (const load of loads) load.catch(() => undefined);
  if (loads.length > 0) return { kind: "loading", loads };

  const stretches = parts.flatMap((part) => stretchesIn(spansIn(spans, view.rowsOf[part]!), view.rowsOf[part]!).map((stretch) => ({ ...stretch, part })));
  if (stretches.reduce((sum, { from, to }) => sum + to - from, 0) > LIMITS.rowsBesideCount) return { kind: "anew" };
  const events: SessionEvent[] = [];
  const { projects } = view.facts;
  const isConcerned = testOf(view, sessions);
  for (const { part, from, to } of stretches) {
    const rows = rowsOf[part]!;
    const { startMs, sessions: firstOnes } = view.parts[part]!;
    const sessionsOf = view.rowSessions(view.rowsOf[part]!);
    const times = rows.times();
    const [users, anonymous, slugs, urls] = [rows.column("userId"), rows.column("anonymousId"), rows.column("slug"), rows.column("url")];
    for (let row = from; row < to; row += 1) {
      if (!isConcerned(firstOnes[row]!)) continue;
      const session = sessionsOf.of(row);
      if (!sessions.has(session)) continue;
      const identity = identities.identityOf(actorOf(codeAt(users, row), codeAt(anonymous, row)));
      events.push({ identity, project: projects[session]!, part, row, ms: startMs + times[row]!, url: codeAt(urls, row), isPageview: isPageview[codeAt(slugs, row)] === 1 });
    }
  }
  return { kind: "events", events };
}

/** Sessions are told apart by so many marks: most that are not asked for have none. */
const MARK_COUNT = 2 ** 13;

/** Whether a row that was put first into a session may be in one of some: most are passed over at the cost of a look. */
function testOf({ facts: { heirs } }: SessionView, sessions: ReadonlySet<number>): (first: number) => boolean {
  const marks = new Uint8Array(MARK_COUNT);
  for (const session of sessions) marks[session % MARK_COUNT] = 1;
  // Rows of a session that is no more may be in any of those that came since.
  return (first) => first !== NONE && (heirs[first] !== 0 || (marks[first % MARK_COUNT] === 1 && sessions.has(first)));
}

/** When some sessions are, those that lie in one another's time as one: by time, apart from each other. */
function joinedSpans({ facts: { starts, lengths } }: SessionView, sessions: ReadonlySet<number>): Span[] {
  const all = [...sessions].map((session): Span => ({ fromMs: starts[session]!, toMs: starts[session]! + lengths[session]! })).sort((a, b) => a.fromMs - b.fromMs);
  const joined: Span[] = [];
  for (const span of all) {
    const last = joined.at(-1);
    if (last === undefined || span.fromMs > last.toMs) joined.push(span);
    else if (span.toMs > last.toMs) joined[joined.length - 1] = { fromMs: last.fromMs, toMs: span.toMs };
  }
  return joined;
}

/** Those in which some rows may lie. */
function spansIn(spans: readonly Span[], { day, minMs, maxMs }: Rows): readonly Span[] {
  const [fromMs, toMs] = [dayStartMs(day) + minMs, dayStartMs(day) + maxMs];
  let first = 0;
  for (let high = spans.length; first < high; ) {
    const middle = (first + high) >>> 1;
    if (spans[middle]!.toMs < fromMs) first = middle + 1;
    else high = middle;
  }
  let end = first;
  while (end < spans.length && spans[end]!.fromMs <= toMs) end += 1;
  return spans.slice(first, end);
}

/** The rows that lie in some spans: of a head all. Times are loaded. */
function stretchesIn(spans: readonly Span[], rows: Rows): { readonly from: number; readonly to: number }[] {
  if (!rows.sealed) return [{ from: 0, to: rows.rowCount }];
  const [times, dayMs] = [rows.times(), dayStartMs(rows.day)];
  return spans.map(({ fromMs, toMs }) => ({ from: firstAtLeast(times, fromMs - dayMs), to: firstAtLeast(times, toMs - dayMs + 1) }));
}
