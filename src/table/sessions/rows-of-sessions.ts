/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows, parts and sessions are bounded by their columns */
import { grouped } from "../../base/grouped.js";
import { dayOf, dayStartMs } from "../../base/time.js";
import { codeAt } from "../../column/column.js";
import { firstAtLeast } from "../../column/search.js";
import type { IdentityView } from "../../identity/identity-view.js";
import { TIME_COLUMN } from "../../schema/fields.js";
import type { Rows } from "../../segment/rows.js";
import { ACTOR_COLUMNS, actorOf } from "../../segment/who.js";
import type { SessionView } from "./session-view.js";
import type { SessionEvent } from "./stitcher.js";

const COLUMNS = [TIME_COLUMN, ...ACTOR_COLUMNS, "slug", "url"];

/** Ms of a day, both included. */
interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The events of some sessions, part by part by their rows; or what is being loaded for that. */
export type RowsFound =
  | { readonly kind: "events"; readonly events: readonly SessionEvent[] }
  | { readonly kind: "loading"; readonly loads: readonly Promise<void>[] };

/**
 * The events of some sessions of a view, of those who are who now. Cost: a look at each row of their parts that lies between the start and the end
 * of one of them, and at all rows of heads.
 * @param rowsOf by number of the part
 */
export function rowsOfSessions(view: SessionView, sessions: ReadonlySet<number>, rowsOf: readonly Rows[], identities: IdentityView, isPageview: Uint8Array): RowsFound {
  const spansOf = spansByPart(view, sessions);
  const loads = [...spansOf.keys()].flatMap((part) => rowsOf[part]!.load(COLUMNS) ?? []);
  // Who waits for them hears of it: nobody does who waits for something else.
  for (const load of loads) load.catch(() => undefined);
  if (loads.length > 0) return { kind: "loading", loads };
  const events: SessionEvent[] = [];
  const { projects } = view.facts;
  for (const [part, spans] of spansOf) {
    const rows = rowsOf[part]!;
    const { startMs } = view.parts[part]!;
    const sessionsOf = view.rowSessions(view.rowsOf[part]!);
    const times = rows.times();
    const [users, anonymous, slugs, urls] = [rows.column("userId"), rows.column("anonymousId"), rows.column("slug"), rows.column("url")];
    for (const row of rowsWithin(spans, view.rowsOf[part]!, times)) {
      const session = sessionsOf.of(row);
      if (!sessions.has(session)) continue;
      const identity = identities.identityOf(actorOf(codeAt(users, row), codeAt(anonymous, row)));
      events.push({ identity, project: projects[session]!, part, row, ms: startMs + times[row]!, url: codeAt(urls, row), isPageview: isPageview[codeAt(slugs, row)] === 1 });
    }
  }
  return { kind: "events", events };
}

/** When events of some sessions lie in each part that may have some. */
function spansByPart({ facts: { starts, lengths }, parts }: SessionView, sessions: ReadonlySet<number>): Map<number, Span[]> {
  const partsOfDay = grouped(parts.keys(), (part) => dayOf(parts[part]!.startMs));
  const spans = [...sessions].flatMap((session) => {
    const [fromMs, toMs] = [starts[session]!, starts[session]! + lengths[session]!];
    const days = Array.from({ length: dayOf(toMs) - dayOf(fromMs) + 1 }, (_, at) => dayOf(fromMs) + at);
    return days.flatMap((day) => (partsOfDay.get(day) ?? []).map((part) => ({ part, fromMs: fromMs - dayStartMs(day), toMs: toMs - dayStartMs(day) })));
  });
  return grouped(spans, ({ part }) => part);
}

/** Rows within some spans, ascending, each once. */
function* rowsWithin(spans: Span[], { sealed, rowCount }: Rows, times: Int32Array): Generator<number> {
  if (!sealed) {
    for (let row = 0; row < rowCount; row += 1) yield row;
    return;
  }
  let next = 0;
  for (const { fromMs, toMs } of spans.sort((a, b) => a.fromMs - b.fromMs))
    for (let row = firstAtLeast(times, fromMs, next); row < times.length && times[row]! <= toMs; row += 1) {
      yield row;
      next = row + 1;
    }
}
