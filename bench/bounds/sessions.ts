/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows and sessions are bounded by their columns */
import { Yielder } from "../../src/core/base/yield.js";
import { reportRules } from "../../src/query/plan/report-rules.js";
import type { Range } from "../../src/query/plan/plan.js";
import { daysFor, rowsOfDays } from "../../src/query/tables/sessions/stretch-cache.js";
import { actorAt, EventSource, type EventColumns } from "../../src/query/tables/sessions/event-source.js";
import { EventReader } from "../../src/query/tables/sessions/events-in-order.js";
import type { Rows } from "../../src/storage/segment/rows.js";
import { dayStartMs } from "../../src/core/base/time.js";
import type { Bound } from "./bound.js";
import type { StoredEvents } from "./stored-events.js";

/**
 * Seven numbers of each session, put together as events come in the order of their times: no late event, no link that comes later, nobody who goes on
 * over the first midnight, no other project at once.
 */
class PlainSessions {
  count = 0;
  readonly #latest: Int32Array;
  readonly #latestMs: Float64Array;
  readonly #starts: Float64Array;
  readonly #ends: Float64Array;
  readonly #identities: Uint32Array;
  readonly #eventCounts: Uint32Array;
  readonly #pageviewCounts: Uint32Array;
  readonly #entryUrls: Uint32Array;
  readonly #exitUrls: Uint32Array;

  constructor(
    readonly stored: StoredEvents,
    rowCount: number,
    readonly gapMs: number,
    readonly maxMs: number,
  ) {
    this.#latest = new Int32Array(stored.actorEnd).fill(-1);
    this.#latestMs = new Float64Array(stored.actorEnd);
    this.#starts = new Float64Array(rowCount);
    this.#ends = new Float64Array(rowCount);
    this.#identities = new Uint32Array(rowCount);
    this.#eventCounts = new Uint32Array(rowCount);
    this.#pageviewCounts = new Uint32Array(rowCount);
    this.#entryUrls = new Uint32Array(rowCount);
    this.#exitUrls = new Uint32Array(rowCount);
  }

  add(events: EventColumns, dayMs: number): void {
    const { slugs, urls, times, isPageview } = events;
    const { identities } = this.stored;
    for (let row = 0; row < times.length; row += 1) {
      const actor = actorAt(events, row);
      if (actor === 0) continue;
      const identity = identities.identityOf(actor);
      const ms = dayMs + times[row]!;
      let session = this.#latest[identity]!;
      if (session < 0 || ms - this.#latestMs[identity]! > this.gapMs || ms - this.#starts[session]! > this.maxMs) {
        session = this.count;
        this.count += 1;
        this.#latest[identity] = session;
        this.#identities[session] = identity;
        this.#starts[session] = ms;
        this.#entryUrls[session] = urls[row]!;
      }
      this.#latestMs[identity] = this.#ends[session] = ms;
      this.#eventCounts[session]! += 1;
      this.#pageviewCounts[session]! += isPageview[slugs[row]!]!;
      this.#exitUrls[session] = urls[row]!;
    }
  }
}

async function readEach(all: readonly Rows[], reader: EventReader, take: (rows: Rows, events: EventColumns) => void): Promise<void> {
  const reads = reader.readsOf(all);
  for (const rows of all) {
    rows.pin();
    const { decode, scratch } = (await reads.of(rows))!;
    take(rows, decode());
    scratch.releaseAll();
    rows.unpin();
  }
}

/** What a first session overview of a range takes at the least: its columns are read, and sessions told apart. Once in a process. */
export async function boundOfSessions(stored: StoredEvents, range: Range): Promise<Bound> {
  const { session, pageviewSlugs, revenue } = reportRules({});
  const rows = rowsOfDays(stored.rows, daysFor(range, session));
  const rowCount = rows.reduce((sum, part) => sum + part.rowCount, 0);
  const reader = new EventReader(new EventSource(stored.dictionaries, pageviewSlugs, revenue), new Yielder(), () => undefined);
  const startedMs = performance.now();
  const sessions = new PlainSessions(stored, rowCount, session.gapMs, session.maxMs);
  let addMs = 0;
  await readEach(rows, reader, ({ day }, events) => {
    const readAtMs = performance.now();
    sessions.add(events, dayStartMs(day));
    addMs += performance.now() - readAtMs;
  });
  const leastMs = performance.now() - startedMs;
  const description = `${rowCount} events are read in ${(leastMs - addMs).toFixed(0)} ms, ${sessions.count} sessions made of them in ${addMs.toFixed(0)}`;
  return { description, leastMs };
}
