import { fixedClock, memoryStorage, openDaybook, type EventInput } from "daybook";
import { expect, test, vi } from "vitest";
import { PendingLoads } from "../../../src/storage/derived/pending-loads.js";
import type { Range } from "../../../src/query/plan/plan.js";
import { MemoryBudget } from "../../../src/storage/segment/memory-budget.js";
import type { Rows } from "../../../src/storage/segment/rows.js";
import { EventSource } from "../../../src/query/tables/sessions/event-source.js";
import { SessionTable } from "../../../src/query/tables/sessions/session-table.js";

const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 0, 5);
const daysFrom = (day: number, count: number): Range => ({ fromMs: START_MS + day * DAY_MS, toMs: START_MS + (day + count) * DAY_MS });
const visit = (userId: string, day: number) => ({ name: "pageview", project: "p", userId, createdAt: START_MS + day * DAY_MS });

type Moment = Parameters<SessionTable["at"]>[0];

/** A table over one event at noon of each of 90 days and some more, and the moment of these. */
async function tableOver(more: readonly EventInput[]) {
  const at = vi.spyOn(SessionTable.prototype, "at");
  try {
    await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(START_MS + 100 * DAY_MS) });
    await daybook.ingest([...Array.from({ length: 90 }, (_, day) => visit(`user ${day}`, day + 0.5)), ...more]);
    await daybook.sessionsOverview({ project: "p" });
    const [{ source, rule }] = at.mock.contexts as [SessionTable];
    const [[moment]] = at.mock.calls as [Parameters<SessionTable["at"]>];
    return { table: new SessionTable(new MemoryBudget(1e9), { readerCount: 0 }, source, rule), moment };
  } finally {
    at.mockRestore();
  }
}

/** Has the sessions of a range made. @returns how many rows were looked at */
async function looked({ table, moment }: { readonly table: SessionTable; readonly moment: Moment }, range: Range): Promise<number> {
  let rowCount = 0;
  const asked = { ...moment, rows: moment.rows, onRowsRead: (count: number) => (rowCount += count) };
  for (let pending = new PendingLoads(); table.at(asked, range, pending) === null; pending = new PendingLoads()) await pending.load();
  return rowCount;
}

test("Sessions of some days are made of the rows of these days and of two on each side.", async () => {
  const over = await tableOver([]);
  expect(await looked(over, daysFrom(40, 3))).toBe(8);
  expect(await looked(over, daysFrom(41, 1))).toBe(0);
});

test("Of days before, those are looked at over whose midnights somebody goes on.", async () => {
  const overMidnight = [visit("late", 38 - 1 / DAY_MS), visit("late", 38 + 1 / DAY_MS)];
  expect(await looked(await tableOver(overMidnight), daysFrom(40, 3))).toBe(8 + 1 + 2);
  const nights = Array.from({ length: 48 * 3 }, (_, at) => visit("never pauses", 35.5 + at / 48));
  expect(await looked(await tableOver(nights), daysFrom(40, 3))).toBe(8 + 48 * 3 + 3);
});

test("Who asks for more and more days has twice as many made each time.", async () => {
  const over = await tableOver([]);
  expect(await looked(over, daysFrom(60, 3))).toBe(8);
  expect(await looked(over, daysFrom(58, 3))).toBe(16);
  expect(await looked(over, daysFrom(52, 3))).toBe(0);
  expect(await looked(over, daysFrom(49, 3))).toBe(32);
  expect(await looked(over, { fromMs: -Infinity, toMs: Infinity })).toBe(90);
});

test("All ids of one identity go over a midnight at the cost of one look at each.", async () => {
  const ids = Array.from({ length: 300 }, (_, at) => `device ${at}`);
  const links = ids.map((anonymousId) => ({ ...visit("boss", 1), anonymousId }));
  const { table, moment } = await tableOver([...links, ...ids.flatMap((anonymousId) => [37.999, 38.001].map((day) => ({ ...visit("", day), userId: undefined, anonymousId })))]);
  const { identities } = moment;
  let idCount = 0;
  const counting = new Proxy(identities, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...values: unknown[]) => {
        const answer: unknown = Reflect.apply(member, target, values);
        if (name === "actorsOf") idCount += (answer as readonly number[]).length;
        return answer;
      };
    },
  });
  await looked({ table, moment: { ...moment, rows: moment.rows, identities: counting } }, daysFrom(40, 3));
  expect(idCount).toBe(301);
});

const damage = () => {
  throw new Error("damaged");
};

test.each([
  ["a column", { readOnce: () => Promise.reject(new Error("damaged")) }],
  ["a footer", { zone: damage, load: damage, readOnce: damage }],
])("What cannot be read, as %s, breaks no query about other days, asked before, meanwhile or later.", async (_what, broken: Readonly<Record<string, unknown>>) => {
  const { table, moment } = await tableOver([]);
  const damaged = (rows: Rows) => new Proxy(rows, { get: (target, name) => broken[String(name)] ?? (Reflect.get(target, name) as unknown) });
  const over = { table, moment: { ...moment, rows: moment.rows.map((rows) => (rows.day === START_MS / DAY_MS + 3 ? damaged(rows) : rows)) } };
  const all = { fromMs: -Infinity, toMs: Infinity };
  const wide = expect(looked(over, all)).rejects.toThrow("damaged");
  expect(await looked(over, daysFrom(40, 3))).toBe(8);
  await wide;
  await expect(looked(over, all)).rejects.toThrow("damaged");
  expect(await looked(over, daysFrom(40, 3))).toBe(0);
});

test("Of somebody who never pauses earlier days are read once, whatever comes of others.", async () => {
  const bot = Array.from({ length: 60 * 72 }, (_, at) => visit("bot", at / 72));
  const others = Array.from({ length: 60 * 10 }, (_, at) => visit(`user ${at}`, (at % 60) + 0.5));
  const reads = [vi.spyOn(EventSource.prototype, "read"), vi.spyOn(EventSource.prototype, "readTimesOnce")];
  const readSince = () => reads.flatMap(({ mock }) => mock.calls.splice(0)).reduce((sum, [{ rowCount }]) => sum + rowCount, 0);
  try {
    await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(START_MS + 100 * DAY_MS) });
    await daybook.ingest(bot);
    await daybook.ingest(others);
    await daybook.seal();
    const ask = () => daybook.sessionsOverview({ startDate: new Date(START_MS + 50 * DAY_MS), endDate: new Date(START_MS + 51 * DAY_MS) });
    await ask();
    expect(readSince()).toBeGreaterThan(40 * 82);
    await daybook.ingest([visit("late", 10.5)]);
    await ask();
    expect(readSince(), "a late event of somebody else: again once the latest sessions are known").toBe(2);
    await daybook.ingest([visit("late", 50.5)]);
    await daybook.seal();
    await ask();
    expect(readSince(), "seals: the days that are asked about, and those in which something was sealed").toBeLessThan(10 * 83);
    await daybook.ingest([visit("bot", 10.501)]);
    await ask();
    expect(readSince(), "a late event of the same person: again once the columns beside it are loaded").toBe(2);
  } finally {
    for (const read of reads) read.mockRestore();
  }
});

test("Who never pauses in two projects has sessions cut where they began long before the days of a query, in each project.", async () => {
  const inTurn = Array.from({ length: 12 * 144 }, (_, at) => ({ ...visit("bot", 30.3 + at / 144), project: at % 2 === 0 ? "p" : "q" }));
  const sessionsOf = async (areAllKnown: boolean) => {
    await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(START_MS + 100 * DAY_MS) });
    await daybook.ingest(inTurn);
    await daybook.seal();
    const ask = (project: string, fromDay: number, toDay: number) =>
      daybook.sessionsOverview({ project, startDate: new Date(START_MS + fromDay * DAY_MS), endDate: new Date(START_MS + toDay * DAY_MS), interval: "hour" });
    if (areAllKnown) await ask("p", 0, 90);
    return [await ask("p", 39, 40), await ask("q", 39, 40)];
  };
  const answers = await sessionsOf(false);
  expect(answers).toEqual(await sessionsOf(true));
  expect(answers[0]?.total.sessions, "in p, of which one event in 20 minutes").toBeGreaterThan(0);
});

test("Columns that changes need are loaded before anything is built again, also if other changes come meanwhile.", async () => {
  const at = vi.spyOn(SessionTable.prototype, "at");
  const moments: Moment[] = [];
  try {
    await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(START_MS + 100 * DAY_MS) });
    for (const events of [Array.from({ length: 90 }, (_, day) => visit(`user ${day}`, day + 0.5)), [visit("user 10", 10.499)], [visit("user 50", 50.499)]]) {
      await daybook.ingest(events);
      await daybook.sessionsOverview({ project: "p" });
      const [moment] = at.mock.lastCall ?? [];
      if (moment !== undefined) moments.push(moment);
    }
    const [base, first, second] = moments as [Moment, Moment, Moment];
    const [{ source, rule }] = at.mock.contexts as [SessionTable];
    at.mockRestore();
    const table = new SessionTable(new MemoryBudget(1e9), { readerCount: 0 }, source, rule);
    const seen = new Set<number>();
    /** Columns of each day are away until they are loaded once. */
    const awayAtFirst = (rows: Rows) =>
      new Proxy(rows, {
        get(target, name) {
          const load = () => (seen.has(rows.day) ? null : Promise.resolve(void seen.add(rows.day)));
          const value = name === "load" ? load : (Reflect.get(target, name) as unknown);
          return typeof value === "function" ? (value.bind(target) as unknown) : value;
        },
      });
    const all = { fromMs: -Infinity, toMs: Infinity };
    let rowCount = 0;
    const once = async (moment: Moment) => {
      const pending = new PendingLoads();
      const view = table.at({ ...moment, rows: moment.rows.map(awayAtFirst), onRowsRead: (count) => (rowCount += count) }, all, pending);
      await pending.load();
      return view !== null;
    };
    expect([await once(base), await once(base), rowCount]).toEqual([false, true, 90]);
    expect([await once(first), await once(first), [...seen]], "the latest sessions; the day of the change").toEqual([false, false, [START_MS / DAY_MS + 10]]);
    expect([await once(second), await once(second), [...seen]], "another day too").toEqual([false, true, [START_MS / DAY_MS + 10, START_MS / DAY_MS + 50]]);
    expect(rowCount, "nothing was built again").toBeLessThan(100);
  } finally {
    at.mockRestore();
  }
});
