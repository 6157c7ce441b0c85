import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Head } from "../../../src/storage/segment/head.js";
import { MemoryBudget } from "../../../src/storage/segment/memory-budget.js";
import type { Rows } from "../../../src/storage/segment/rows.js";
import { rowsOfLoaded } from "../../../src/query/tables/people/seen-actors.js";
import type { Range } from "../../../src/query/plan/plan.js";
import { Timelines } from "../../../src/query/tables/people/timelines.js";
import { baseSeed, caseCount } from "../../oracle/settings.js";
import { PROJECT_TEXTS, appendRow, idBytes } from "../../storage/segment/rows-of.js";
import { DAY } from "../reports/layouts.js";

interface Row {
  readonly ms: number;
  readonly id: number;
  readonly user?: number;
  readonly anonymous?: number;
  readonly url?: number;
}

/** Rows of one day, with what was loaded of them. Sealed ones come in order, keep what is derived, and are read from a file. */
function rowsOf(rows: readonly Row[], { day = 7, sealed = false, zones = {} as Partial<Rows> } = {}): Rows & { readonly loads: string[] } {
  const head = new Head(day, new MemoryBudget(1e9), PROJECT_TEXTS);
  const ordered = sealed ? [...rows].sort((a, b) => a.ms - b.ms || a.id - b.id) : rows;
  ordered.forEach(({ ms, id, user = 0, anonymous = 0, url = 0 }, sequence) => {
    appendRow(head, { ms, id: idBytes(id), sequence, fields: { userId: user, anonymousId: anonymous, url } });
  });
  const view = head.view();
  const loads: string[] = [];
  const derived = new Map<string, unknown>();
  return {
    day, sealed, immutable: sealed, loads, rowCount: view.rowCount, minMs: view.minMs, maxMs: view.maxMs,
    columnNames: () => view.columnNames(),
    zone: (column) => view.zone(column),
    load: (columns) => {
      loads.push(...columns);
      return null;
    },
    readOnce: (column, scratch) => {
      loads.push(column);
      const reading = view.readOnce(column, scratch);
      return sealed ? Promise.resolve(reading) : reading;
    },
    firstSequence: view.firstSequence,
    lastSequence: view.lastSequence,
    actorLists: () => view.actorLists(),
    cachedActorLists: () => null,
    summary: () => Promise.resolve(null),
    pin: () => undefined,
    unpin: () => undefined,
    column: (name) => view.column(name),
    times: () => view.times(),
    ids: () => view.ids(),
    readIdsOnce: () => view.ids(),
    projectOf: (row) => view.projectOf(row),
    sequences: () => view.sequences(),
    cached: (key) => derived.get(key) ?? null,
    deriveIncrementally: (key, incremental) => view.deriveIncrementally(key, incremental),
    derive: <T>(key: string, make: () => T) => {
      const made = derived.has(key) ? (derived.get(key) as T) : make();
      derived.set(key, made);
      return made;
    },
    ...zones,
  };
}

/** The events of some actors, as a query about one person reads them. */
function timelineOf(rows: readonly Rows[], actors: readonly number[], upTo: number | null = null) {
  const look = { pause, onRowsRead: () => undefined };
  return new Timelines(new MemoryBudget(1e9)).of({ identity: 2, actors: [...actors].sort((a, b) => a - b) }, rows, upTo, look);
}

const rowArbitrary = fc.record({ ms: fc.nat({ max: 5 }), id: fc.nat({ max: 1_000 }), user: fc.nat({ max: 3 }), anonymous: fc.nat({ max: 3 }) });

const pause = () => Promise.resolve();

describe("rows by actor", () => {
  const rows: Row[] = [{ ms: 0, id: 1, user: 5 }, { ms: 1, id: 2, anonymous: 5 }, { ms: 2, id: 3 }, { ms: 3, id: 4, user: 5, anonymous: 9 }, { ms: 4, id: 5, user: 2 }];

  test("are listed once a part has been looked through often, after other numbers of looks for neighbouring days", () => {
    const looksUntilListed = (day: number) => {
      const part = rowsOf(rows, { day, sealed: true });
      let readCount = 0;
      const column = (name: string) => ((readCount += 1), part.column(name));
      for (let asked = 0; asked < 100; asked += 1) {
        const before = readCount;
        expect([...rowsOfLoaded({ ...part, column }, [10, 11])]).toEqual([0, 1, 3]);
        if (readCount === before) return asked - 1;
      }
      return Infinity;
    };
    expect([0, 1, 31, 32].map(looksUntilListed)).toEqual([4, 5, 35, 4]);
  });

  test.each([true, false])("are found in order for several actors at once (sealed: %s)", (sealed) => {
    const find = (...actors: number[]) => [...rowsOfLoaded(rowsOf(rows, { sealed }), actors)];
    expect(find(10)).toEqual([0, 3]);
    expect(find(10, 11)).toEqual([0, 1, 3]);
    expect(find(4, 10, 11)).toEqual([0, 1, 3, 4]);
    expect(find(2, 6, 19, 1_000_000)).toEqual([]);
  });

  test("are nowhere where the zone maps leave no room for the actors", () => {
    const zones = { zone: (column: string) => (column === "userId" ? { min: 2, max: 5, hasZero: true } : null) };
    const find = (...actors: number[]) => [...rowsOfLoaded(rowsOf(rows, { sealed: true, zones }), actors)];
    expect([find(4), find(10), find(2, 10)]).toEqual([[4], [0, 3], [0, 3]]);
    // Of the ids without user nothing is known to be there: 11 and 19 are not looked for.
    expect([find(2), find(12), find(11, 19), find()]).toEqual([[], [], [], []]);
  });

  test("of a sealed segment are those that a look at each row finds", () => {
    const law = (list: Row[], actors: number[]) => {
      const ascending = [...new Set(actors)].sort((a, b) => a - b);
      const sealed = rowsOf(list, { sealed: true });
      const asHead = { ...sealed, sealed: false, settled: false };
      // Once by looks, and once by lists.
      for (let asked = 0; asked < 40; asked += 1) expect([...rowsOfLoaded(sealed, ascending)]).toEqual([...rowsOfLoaded(asHead, ascending)]);
    };
    fc.assert(fc.property(fc.array(rowArbitrary, { maxLength: 40 }), fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 9 }), law), {
      seed: baseSeed, numRuns: caseCount(200),
    });
  });
});

describe("a timeline", () => {
  test("of the first query about an identity has the days that it needs, that of the second one all days", async () => {
    const days = [6, 7, 8].map((day) => rowsOf([{ ms: 1, id: day, user: 1 }, { ms: 2, id: day + 10, user: 3 }], { day, sealed: true }));
    const timelines = new Timelines(new MemoryBudget(1e9));
    const ask = (identity: number, ...range: Range[]) => timelines.of({ identity, actors: [identity] }, days, null, { pause, onRowsRead: () => undefined }, ...range);
    // It begins with the last event of the seventh day, and ends before the first one of the eighth.
    const seventh = { fromMs: 7 * DAY + 2, toMs: 8 * DAY + 1 };
    expect([...(await ask(2, seventh)).times]).toEqual([7 * DAY + 1]);
    expect(days.map(({ loads }) => loads.length > 0)).toEqual([false, true, false]);
    expect([...(await ask(2, seventh)).times]).toEqual([6, 7, 8].map((day) => day * DAY + 1));
    expect([...(await ask(6)).times]).toEqual([6, 7, 8].map((day) => day * DAY + 2));
    // It is known already.
    expect((await ask(6, seventh)).count).toBe(3);
  });

  test("is in order over days, segments and heads, in which rows lie as they came", () => {
    const parts = fc.array(fc.tuple(fc.integer({ min: 5, max: 7 }), fc.boolean(), fc.array(rowArbitrary, { maxLength: 15 })), { maxLength: 6 });
    return fc.assert(
      fc.asyncProperty(parts, async (given) => {
        let nextId = 0;
        const shuffledId = () => ((nextId += 1) * 7_919) % 100_003;
        const days = given.map(([day, sealed, rows]) => ({ day, sealed, rows: rows.map((row) => ({ ...row, id: shuffledId() })) }));
        const timeline = await timelineOf(days.map(({ day, sealed, rows }) => rowsOf(rows, { day, sealed })), [5, 2]);
        const expected = days.flatMap(({ day, rows }) =>
          rows.filter(({ user, anonymous }) => user === 1 || (user === 0 && anonymous === 2)).map(({ ms, id }) => [day * DAY + ms, id]));
        expected.sort(([msA = 0, idA = 0], [msB = 0, idB = 0]) => msA - msB || idA - idB);
        const idOf = (rows: Rows, row: number) => new DataView(rows.ids().buffer, rows.ids().byteOffset).getUint32(row * 16 + 12);
        const found = Array.from(timeline.times, (ms, at) => [ms, idOf(timeline.rowsAt(at), timeline.rows[at] ?? -1)]);
        expect(found).toEqual(expected);
      }),
      { seed: baseSeed, numRuns: caseCount(200) },
    );
  });

  const mine = (ms: number, id: number, more: Partial<Row> = {}): Row => ({ ms, id, user: 1, ...more });

  test("reads ids only of days on which they alone tell the order", async () => {
    const alone = rowsOf([mine(1, 1), mine(2, 2)], { day: 5, sealed: true });
    const others = rowsOf([{ ms: 1, id: 3, user: 9 }], { day: 5, sealed: true });
    const first = rowsOf([mine(1, 4)], { day: 6, sealed: true });
    const second = rowsOf([mine(0, 5)], { day: 6, sealed: true });
    const head = rowsOf([mine(3, 6), mine(1, 7)], { day: 7 });
    const strangers = rowsOf([{ ms: 1, id: 8, user: 9 }], { day: 8, sealed: true });
    const [ownTies, between] = [rowsOf([mine(1, 9), mine(1, 10)], { day: 9, sealed: true }), rowsOf([mine(0, 11), mine(2, 12)], { day: 9, sealed: true })];
    const tied = [rowsOf([mine(1, 13)], { day: 10, sealed: true }), rowsOf([mine(1, 14)], { day: 10, sealed: true })];
    const tiedHead = rowsOf([mine(1, 16), mine(1, 15)], { day: 11 });
    await timelineOf([strangers, head, first, second, alone, others, ownTies, between, ...tied, tiedHead], [2]);
    expect(strangers.loads).toEqual([]);
    expect(alone.loads).toEqual(["userId", "anonymousId", "ms"]);
    expect(others.loads).toEqual([]);
    for (const { loads } of [first, second, head, ownTies, between]) expect([loads.includes("ms"), loads.includes("id")]).toEqual([true, false]);
    for (const { loads } of [...tied, tiedHead]) expect(loads).toContain("id");
  });

  test("gathers codes of a stretch; a column that has one code, or none, is not read", async () => {
    const first = rowsOf([mine(1, 1, { url: 3 }), mine(2, 2), mine(3, 3, { url: 4 })], { day: 5, sealed: true });
    const zones = { zone: (column: string) => (column === "url" ? { min: 8, max: 8, hasZero: false } : { min: 1, max: 1, hasZero: true }) };
    const second = rowsOf([mine(1, 4, { url: 8 }), mine(2, 5, { url: 8 })], { day: 6, sealed: true, zones });
    const timeline = await timelineOf([second, first], [2]);
    expect([...(await timeline.codes(["url"], pause))[0]]).toEqual([3, 0, 4, 8, 8]);
    expect([...(await timeline.codes(["url"], pause, 1, 4))[0]]).toEqual([0, 4, 8]);
    expect([...(await timeline.codes(["os"], pause))[0]].slice(0, 3)).toEqual([0, 0, 0]);
    expect(first.loads).toContain("url");
    expect([first.loads, second.loads].map((loads) => loads.includes("os"))).toEqual([false, true]);
    expect(second.loads).not.toContain("url");
  });

  test("leaves out rows of a greater sequence", async () => {
    const rows = rowsOf([mine(1, 1), mine(2, 2), mine(3, 3)], { sealed: true });
    expect([...(await timelineOf([rows], [2], 1)).rows]).toEqual([0, 1]);
    expect((await timelineOf([rows], [2])).count).toBe(3);
  });

  test("finds the first event at or after an instant", async () => {
    const timeline = await timelineOf([rowsOf([mine(10, 1), mine(10, 2), mine(20, 3)], { day: 0, sealed: true })], [2]);
    expect([0, 10, 11, 20, 21].map((ms) => timeline.firstAt(ms))).toEqual([0, 0, 2, 2, 3]);
  });

  test("fails with the error of a disk that reads nothing", async () => {
    const part = rowsOf([{ ms: 0, id: 1, user: 1 }], { sealed: true, zones: { readOnce: () => Promise.reject(new Error("no disk")) } });
    await expect(timelineOf([part], [2])).rejects.toThrow("no disk");
  });
});
