import { fixedClock, memoryStorage, openDaybook, type Daybook, type EventInput } from "daybook";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LIMITS } from "../../../src/core/base/limits.js";
import { PendingLoads } from "../../../src/storage/derived/pending-loads.js";
import { ID_COLUMN } from "../../../src/core/schema/fields.js";
import { MemoryBudget } from "../../../src/storage/segment/memory-budget.js";
import { SessionTable } from "../../../src/query/tables/sessions/session-table.js";
import type { SessionView } from "../../../src/query/tables/sessions/session-view.js";

const NOW_MS = Date.UTC(2026, 0, 31);
const MINUTE_MS = 60_000;
const always = { fromMs: -Infinity, toMs: Infinity };
const usual = { ...LIMITS };
const spied = () => vi.spyOn(SessionTable.prototype, "at");
let at: ReturnType<typeof spied>;

beforeEach(() => {
  at = spied();
});
afterEach(() => {
  Object.assign(LIMITS, usual);
  vi.restoreAllMocks();
});

const opened = () => openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW_MS) });

/** An event some minutes before now. */
const visit = (minutes: number, more: Partial<EventInput> = {}): EventInput => ({
  name: "pageview", project: "p", userId: "u", url: `https://a.example/${minutes % 7}`, createdAt: NOW_MS - minutes * MINUTE_MS, ...more,
});

/** Three people in two projects, who pause now and then. */
const visits = (count: number, first: number) =>
  Array.from({ length: count }, (_, event) => visit(first + event * 13, { userId: `u${(event * 7) % 3}`, project: event % 5 === 0 ? "q" : "p" }));

/** The sessions of now. */
async function sessionsOf(daybook: Daybook): Promise<SessionView> {
  await daybook.sessionsOverview();
  return at.mock.results.at(-1)?.value as SessionView;
}

type Moment = Parameters<SessionTable["at"]>[0];

function newestMoment(): Moment {
  const [moment] = at.mock.calls.at(-1) ?? [];
  if (moment === undefined) throw new Error("a question asks for sessions of a moment");
  return moment;
}

function newTable(): SessionTable {
  const { source, rule } = at.mock.contexts.at(-1) as SessionTable;
  return new SessionTable(new MemoryBudget(1e9), { readerCount: 0 }, source, rule);
}

async function viewOf(table: SessionTable, moment: Moment): Promise<SessionView> {
  for (let pending = new PendingLoads(); ; pending = new PendingLoads()) {
    const view = table.at(moment, always, pending);
    if (view !== null) return view;
    await pending.load();
  }
}

/** The sessions of now, made anew. */
const anew = () => viewOf(newTable(), newestMoment());

/** All that is told of the sessions there are, by when they begin, and by event id in which of them each row is. */
async function toldBy(view: SessionView) {
  const { starts, lengths, identities, projects, eventCounts, pageviewCounts, firstParts, firstRows, entryUrls, exitUrls } = view.facts;
  for (const rows of view.rowsOf) await rows.load([ID_COLUMN]);
  const idOf = (part: number, row: number) => view.rowsOf[part]?.ids().slice(row * 16, row * 16 + 16).join(".");
  const nameOf = (session: number) => `${identities[session]} ${projects[session]} ${starts[session]}`;
  const sessions = Array.from({ length: view.count }, (_, session) => session)
    .filter((session) => view.isAlive(session))
    .map((session) => [
      nameOf(session), idOf(firstParts[session] ?? -1, firstRows[session] ?? -1),
      ...[lengths, eventCounts, pageviewCounts, entryUrls, exitUrls].map((column) => column[session]),
    ]);
  const rows = view.rowsOf.flatMap((own, part) => {
    const inSessions = view.rowSessions(own);
    return Array.from({ length: own.rowCount }, (_, row) => `${idOf(part, row)} ${nameOf(inSessions.of(row))}`);
  });
  return { sessions: sessions.sort(), rows: rows.sort() };
}

/** Where sessions begin, and in which of them each row is, by the numbers that a query under way has. */
function readOf(view: SessionView) {
  const { firstParts, firstRows } = view.facts;
  const alive = Array.from({ length: view.count }, (_, session) => session).filter((session) => view.isAlive(session));
  const rows = view.rowsOf.map((own) => {
    const inSessions = view.rowSessions(own);
    return Array.from({ length: own.rowCount }, (_, row) => inSessions.of(row));
  });
  return { firsts: alive.map((session) => [session, firstParts[session], firstRows[session]]), rows };
}

test("A seal and a compaction change no session: none is made anew, and what comes is added.", async () => {
  Object.assign(LIMITS, { segmentsPerDayCount: 2 });
  await using daybook = await opened();
  await daybook.ingest(visits(120, 60));
  const { cache } = await sessionsOf(daybook);
  for (const first of [0, 5, 11, 200, 31]) {
    await daybook.ingest(visits(9, first));
    await sessionsOf(daybook);
    const payment = visit(first, { name: "Purchase", userId: "u1", value: 5 });
    // Of a server, so that it is part of no session.
    await daybook.ingest([...visits(3, first + 1), { ...payment, url: null }]);
    await daybook.identify({ userId: `u${first % 3}`, anonymousId: `phone ${first}` });
    await daybook.seal();
    const view = await sessionsOf(daybook);
    expect(view.cache, "not made anew").toBe(cache);
    expect(await toldBy(view)).toEqual(await toldBy(await anew()));
  }
});

test("After a seal only its rows are looked at, and the events of sessions that change.", async () => {
  const rowCounts: number[] = [];
  await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW_MS), onWork: (_, { rowCount }) => rowCounts.push(rowCount) });
  await daybook.ingest(visits(120, 3_000));
  await daybook.seal();
  await daybook.ingest(visits(6, 0));
  await sessionsOf(daybook);
  await daybook.seal();
  rowCounts.length = 0;
  await sessionsOf(daybook);
  expect(rowCounts).toEqual([6]);
});

test("Queries under way read what they read before a seal.", async () => {
  Object.assign(LIMITS, { segmentsPerDayCount: 2 });
  await using daybook = await opened();
  await daybook.ingest(visits(200, 30));
  const seen: { readonly view: SessionView; readonly read: ReturnType<typeof readOf> }[] = [];
  for (const first of [2_000, 7, 1_900, 400]) {
    await daybook.ingest(visits(5, first));
    const view = await sessionsOf(daybook);
    seen.push({ view, read: readOf(view) });
    await daybook.seal();
    await sessionsOf(daybook);
  }
  for (const { view, read } of seen) expect(readOf(view)).toEqual(read);
});

/** The rows of a Daybook that was told events, each some at a time with a seal behind them. */
async function sealedRows(daybook: Daybook, events: readonly (readonly EventInput[])[]): Promise<Moment["rows"]> {
  for (const some of events) {
    await daybook.ingest(some);
    await daybook.seal();
  }
  await sessionsOf(daybook);
  return newestMoment().rows;
}

/** Makes sessions of events, and puts other rows in the place of theirs: all must be made anew. The codes and sequences of both are the same. */
async function expectAnew(events: readonly EventInput[], rows: Moment["rows"]): Promise<void> {
  await using daybook = await opened();
  await daybook.ingest(events);
  await sessionsOf(daybook);
  const [table, moment] = [newTable(), newestMoment()];
  const { cache } = await viewOf(table, moment);
  const view = await viewOf(table, { ...moment, rows });
  expect(view.cache).not.toBe(cache);
  expect(await toldBy(view)).toEqual(await toldBy(await viewOf(newTable(), { ...moment, rows })));
}

test("Where ids decide with which of two segments a session begins, all are made anew.", async () => {
  const events = ["c", "b", "a", "d"].map((id) => visit(5, { id: `0190${id.repeat(4)}-0000-7000-8000-000000000000` }));
  await using apart = await opened();
  await expectAnew(events, await sealedRows(apart, events.map((event) => [event])));
});

test("Where more came with a seal and behind it than one turn takes, all are made anew.", async () => {
  Object.assign(LIMITS, { resessionizedCount: 4 });
  await using daybook = await opened();
  await daybook.ingest(visits(20, 30));
  const { cache } = await sessionsOf(daybook);
  const fromNew = (first: number) => visits(3, first).map((event, at) => ({ ...event, userId: `new ${first + at}` }));
  await daybook.ingest(fromNew(10));
  await daybook.seal();
  await daybook.ingest(fromNew(20));
  const view = await sessionsOf(daybook);
  expect(view.cache).not.toBe(cache);
  expect(await toldBy(view)).toEqual(await toldBy(await anew()));
});

test("Between two events of a segment any number of sessions may begin.", async () => {
  await using daybook = await opened();
  await daybook.ingest(Array.from({ length: 5_000 }, (_, at) => visit(1_000 - at / 10, { userId: `u${at}` })));
  await daybook.seal();
  await daybook.ingest([visit(1_100), visit(100)]);
  const { cache } = await sessionsOf(daybook);
  await daybook.seal();
  expect((await sessionsOf(daybook)).cache).toBe(cache);
});

test("Where more came with a seal than one turn takes, all are made anew.", async () => {
  Object.assign(LIMITS, { resessionizedCount: 4 });
  const rowCounts: number[] = [];
  await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW_MS), onWork: (_, { rowCount }) => rowCounts.push(rowCount) });
  await daybook.ingest(visits(20, 30));
  const { cache } = await sessionsOf(daybook);
  await daybook.ingest(visits(4, 0));
  await daybook.seal();
  const view = await sessionsOf(daybook);
  expect(view.cache).toBe(cache);
  await daybook.ingest(visits(8, 1).map((event, at) => ({ ...event, userId: `new ${at}` })));
  await daybook.seal();
  const next = await sessionsOf(daybook);
  expect(rowCounts.at(-1), "no row is looked at twice").toBe(20 + 4 + 8);
  expect(next.cache).not.toBe(cache);
  expect(await toldBy(next)).toEqual(await toldBy(await anew()));
});

test("What came with a seal is taken after the next one, which put it elsewhere.", async () => {
  Object.assign(LIMITS, { segmentsPerDayCount: 2 });
  await using daybook = await opened();
  await daybook.ingest(visits(40, 60));
  await sessionsOf(daybook);
  const table = newTable();
  const { cache } = await viewOf(table, newestMoment());
  for (const first of [2, 3, 1]) {
    await daybook.ingest(visits(5, first));
    await daybook.seal();
    await sessionsOf(daybook);
    const pending = new PendingLoads();
    expect(table.at(newestMoment(), always, pending)).toBe(null);
    await pending.load();
  }
  const view = await viewOf(table, newestMoment());
  expect(view.cache).toBe(cache);
  expect(await toldBy(view)).toEqual(await toldBy(await anew()));
});

/** Minutes before now at which events were known, and those at which there are some of the same codes and sequences after a seal. */
const OTHER_EVENTS: readonly [what: string, known: readonly number[], sealed: readonly number[]][] = [
  ["some event is in no session", [900, 600, 590, 5], [900, 600, 300, 5]],
  ["some event is gone", [900, 899, 898], [900, 898]],
  ["a session does not begin as it did", [900, 890, 880], [899, 890, 880]],
];

test.each(OTHER_EVENTS)("Where %s, all are made anew.", async (_, known, sealed) => {
  const visitsAt = (all: readonly number[]) => all.map((minutes) => visit(minutes));
  await using other = await opened();
  await expectAnew(visitsAt(known), await sealedRows(other, [visitsAt(sealed)]));
});

test.each(["before", "while"])("The budget may drop sessions %s rows of a segment are looked up.", async (when) => {
  await using daybook = await opened();
  await daybook.ingest(visits(40, 60));
  await sessionsOf(daybook);
  const before = newestMoment();
  await daybook.ingest(visits(5, 1));
  await daybook.seal();
  await sessionsOf(daybook);
  const after = newestMoment();
  const right = await toldBy(await anew());
  const table = newTable();
  await viewOf(table, before);
  const pending = new PendingLoads();
  expect(table.at(after, always, pending)).toBe(null);
  let dropCount = 0;
  const drop = () => {
    dropCount += 1;
    table.drop();
  };
  if (when === "before") drop();
  for (const rows of after.rows) {
    const readOnce = rows.readOnce.bind(rows);
    vi.spyOn(rows, "readOnce").mockImplementationOnce((column, scratch) => {
      if (when === "while") drop();
      return readOnce(column, scratch);
    });
  }
  await pending.load();
  expect(dropCount).toBe(1);
  expect(await toldBy(await viewOf(table, after))).toEqual(right);
});
