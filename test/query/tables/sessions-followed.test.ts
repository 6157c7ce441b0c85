import { fixedClock, memoryStorage, openDaybook } from "daybook";
import { expect, test, vi } from "vitest";
import { LIMITS } from "../../../src/core/base/limits.js";
import { PendingLoads } from "../../../src/storage/derived/pending-loads.js";
import { MemoryBudget } from "../../../src/storage/segment/memory-budget.js";
import { SessionTable } from "../../../src/query/tables/sessions/session-table.js";
import type { SessionView } from "../../../src/query/tables/sessions/session-view.js";

const NOW_MS = Date.UTC(2026, 0, 31);
const EVENT_COUNT = 60;
const visit = (userId: string, hours: number) => ({ name: "pageview", project: "p", userId, createdAt: NOW_MS - hours * 3_600_000 });
const always = { fromMs: -Infinity, toMs: Infinity };

/** What was made of an event that came late, and how many rows were looked at, where columns of segments are out of memory for so many looks. */
async function afterLateEvent(goneCount: number) {
  const at = vi.spyOn(SessionTable.prototype, "at");
  try {
    await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW_MS) });
    await daybook.ingest(Array.from({ length: EVENT_COUNT }, (_, event) => visit(`u${event % 3}`, 1 + event * 0.25)));
    await daybook.seal();
    await daybook.sessionsOverview();
    await daybook.ingest([visit("u1", 5.1)]);
    const right = await daybook.sessionsOverview();
    const [{ source, rule }] = at.mock.contexts as [SessionTable];
    const moments = at.mock.calls.map(([moment]) => moment);
    const table = new SessionTable(new MemoryBudget(1e9), { readerCount: 0 }, source, rule);
    let rowCount = 0;
    const ask = async (moment: Parameters<SessionTable["at"]>[0] | undefined) => {
      if (moment === undefined) throw new Error("a question asks for sessions of a moment");
      rowCount = 0;
      const asked = { ...moment, rows: moment.rows, onRowsRead: (count: number) => (rowCount += count) };
      for (let pending = new PendingLoads(); ; pending = new PendingLoads()) {
        const view = table.at(asked, always, pending);
        if (view !== null) return view;
        await pending.load();
      }
    };
    await ask(moments[0]);
    for (const rows of moments[0]?.rows ?? []) {
      const load = vi.spyOn(rows, "load");
      for (let gone = 0; gone < goneCount; gone += 1) load.mockReturnValueOnce(Promise.resolve());
    }
    const view = await ask(moments.at(-1));
    let sessionCount = 0;
    for (let session = 0; session < view.count; session += 1) if (view.isAlive(session)) sessionCount += 1;
    return { rowCount, isRight: sessionCount === right.total.sessions };
  } finally {
    vi.restoreAllMocks();
  }
}

test("A late event has a look at the event of the session beside it, and at no other one.", async () => {
  expect(await afterLateEvent(0)).toEqual({ rowCount: 1 + 1, isRight: true });
});

test("Where their columns are out of memory these are loaded, and it is tried again.", async () => {
  expect(await afterLateEvent(1)).toEqual({ rowCount: 1 + 1, isRight: true });
});

test("Where they are out of memory again all sessions are made anew.", async () => {
  expect(await afterLateEvent(2)).toEqual({ rowCount: EVENT_COUNT + 1, isRight: true });
});

test("What comes behind all that is known of somebody is added to their session, however many events that has, without a look at one of them.", async () => {
  const at = vi.spyOn(SessionTable.prototype, "at");
  const usual = LIMITS.resessionizedCount;
  Object.assign(LIMITS, { resessionizedCount: 10 });
  try {
    await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW_MS) });
    await daybook.ingest(Array.from({ length: EVENT_COUNT }, (_, event) => visit("u1", 1 + event * 0.25)));
    await daybook.seal();
    await daybook.sessionsOverview();
    const cache = () => (at.mock.results.at(-1)?.value as SessionView).cache;
    const first = cache();
    for (const [count, hours] of [0.9, 0.8, 0.7].entries()) {
      await daybook.ingest([visit("u1", hours)]);
      expect((await daybook.sessionsOverview()).total).toMatchObject({ sessions: 1, events: EVENT_COUNT + count + 1 });
      expect(cache(), "not made anew").toBe(first);
    }
    await daybook.ingest([visit("u1", 0.7)]);
    expect((await daybook.sessionsOverview()).total).toMatchObject({ sessions: 1, events: EVENT_COUNT + 4 });
    expect(cache(), "one of the same millisecond: ids of all of the session may be asked for").not.toBe(first);
  } finally {
    Object.assign(LIMITS, { resessionizedCount: usual });
    at.mockRestore();
  }
});

/** What a query under way reads of sessions: which there are, and in which of them each row is. */
function readOf(view: SessionView) {
  const alive = Array.from({ length: view.count }, (_, session) => session).filter((session) => view.isAlive(session));
  const rows = view.rowsOf.map((own) => {
    const sessions = view.rowSessions(own);
    return Array.from({ length: own.rowCount }, (_, row) => sessions.of(row));
  });
  return { alive, events: alive.map((session) => view.facts.eventCounts[session]), rows };
}

test("What comes later changes nothing of the sessions that queries under way read.", async () => {
  const at = vi.spyOn(SessionTable.prototype, "at");
  try {
    await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW_MS) });
    await daybook.ingest(Array.from({ length: EVENT_COUNT }, (_, event) => visit(`u${event % 3}`, 1 + event * 0.4)));
    await daybook.seal();
    const seen: { readonly view: SessionView; readonly read: ReturnType<typeof readOf> }[] = [];
    for (const hours of [null, 5.1, 5.2, 0.9, 9.3, 0.8, 0.7, 5.15, 0.75, 12]) {
      if (hours !== null) await daybook.ingest([visit("u1", hours), visit("u2", hours)]);
      await daybook.sessionsOverview();
      const view = at.mock.results.at(-1)?.value as SessionView;
      seen.push({ view, read: readOf(view) });
    }
    expect(new Set(seen.map(({ view }) => view.cache)).size, "all of one table that was made once").toBe(1);
    for (const { view, read } of seen) expect(readOf(view)).toEqual(read);
  } finally {
    at.mockRestore();
  }
});

test("A link alone joins sessions that are known, and taking it back parts them.", async () => {
  await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW_MS) });
  await daybook.ingest([visit("ann", 2), { name: "pageview", project: "p", anonymousId: "phone", createdAt: NOW_MS - 1.8 * 3_600_000 }]);
  const sessionCount = async () => (await daybook.sessionsOverview()).total.sessions;
  expect(await sessionCount()).toBe(2);
  const { linkId } = await daybook.identify({ userId: "ann", anonymousId: "phone" });
  expect(await sessionCount()).toBe(1);
  await daybook.unlink(linkId);
  expect(await sessionCount()).toBe(2);
});
