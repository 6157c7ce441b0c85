import { fixedClock, memoryStorage, openDaybook, type Daybook, type EventInput, type FieldName, type FilterGroupInput, type QueryStats } from "daybook";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { decodeManifest } from "../../src/store/files/manifest.js";
import type { Objects } from "../store/objects.js";
import { DAY_COUNT, dayText, events, ninetyDays, openMeasured, rowsOfDays, type Measured } from "./ninety-days.js";

let objects: Objects;
let store: Measured;

beforeAll(async () => {
  objects = await ninetyDays();
});

/** Each test begins with a store just opened: nothing of a query before it is in memory. */
beforeEach(async () => {
  store = await openMeasured(objects);
});

function where(fieldName: string, operator: string, value: string): { filterGroups: FilterGroupInput[] } {
  return { filterGroups: [{ filters: [{ fieldName, operator, value }] }] };
}

function distinct(values: readonly unknown[]): number {
  return new Set(values.filter((value) => value !== undefined && value !== null)).size;
}

const week = { startDate: dayText(30), endDate: dayText(36) };

describe("days", () => {
  test("the store has one segment a day, each too large to be kept whole", () => {
    const segments = [...objects].filter(([key]) => key.startsWith("segments/"));
    expect(segments.length).toBe(DAY_COUNT);
    for (const [, bytes] of segments) expect(bytes.length).toBeGreaterThan(16 * 1024);
  });

  test("a count of seven days out of ninety touches seven segments and reads nothing", async () => {
    const { answer, work, reads } = await store.measure((daybook) => daybook.countEvents(week));
    const rowCount = rowsOfDays(30, 37);
    expect(answer).toBe(rowCount);
    expect(work).toEqual({ segmentCount: 7, prunedCount: 83, cachedCount: 0, rowCount, loadCount: 0, dictionaryValueCount: 0 });
    expect(reads).toEqual([]);
  });

  test("explain says the same beforehand, and reads nothing either", async () => {
    store.reads();
    const { segments, columns, rowCount, dictionaryValueCount } = await store.daybook.explain("countEvents", week);
    expect(segments.length).toBe(DAY_COUNT);
    expect(segments.filter(({ access }) => access === "all").map(({ day }) => day.slice(0, 10)).sort()).toEqual(
      Array.from({ length: 7 }, (_, day) => dayText(30 + day)),
    );
    expect({ columns, rowCount, dictionaryValueCount }).toEqual({ columns: [], rowCount: rowsOfDays(30, 37), dictionaryValueCount: 0 });
    expect(store.reads()).toEqual([]);
  });

  test.each(["countEvents", "countEventsPerDay", "countEventsRunningTotalPerDay"] as const)(
    "%s without filters over whole days loads no column",
    async (report) => {
      const { work, reads } = await store.measure<unknown>((daybook) => daybook[report]());
      expect([work.segmentCount, work.loadCount, reads.length]).toEqual([DAY_COUNT, 0, 0]);
    },
  );

  test("a range that cuts two days loads the times of these two", async () => {
    const range = { startDate: `${dayText(30)}T12:00:00Z`, endDate: `${dayText(36)}T12:00:00Z` };
    const { work, reads } = await store.measure((daybook) => daybook.countEvents(range));
    expect([work.segmentCount, work.loadCount, reads.length]).toEqual([7, 2, 2]);
    expect((await store.daybook.explain("countEvents", range)).columns).toEqual(["ms"]);
  });
});

describe("spans of days", () => {
  const input = { ...where("device", "=", "mobile"), startDate: dayText(0), endDate: dayText(29) };

  test.each(["countEvents", "countEventsPerDay", "countEventsRunningTotalPerDay", "countUniqueUsers", "countUniqueUsersPerDay"] as const)(
    "%s of a month, asked again or for a shifted month, looks at the few days that no span holds",
    async (report) => {
      const ask = (startDay: number) => store.measure<unknown>((daybook) => daybook[report]({ ...input, startDate: dayText(startDay), endDate: dayText(startDay + 29) }));
      const first = await ask(0);
      expect([first.work.segmentCount, first.work.cachedCount, first.work.prunedCount]).toEqual([30, 0, 60]);
      const again = await ask(0);
      expect(again.answer).toEqual(first.answer);
      expect(again.work.segmentCount + again.work.cachedCount).toBe(30);
      expect(again.work.segmentCount).toBeLessThanOrEqual(6);
      const shifted = await ask(1);
      expect(shifted.work.segmentCount + shifted.work.cachedCount).toBe(30);
      expect(shifted.work.segmentCount).toBeLessThanOrEqual(7);
    },
  );

  test("an aggregate is kept by its field, and not for what depends on who is who", async () => {
    const ask = (field: FieldName, extra: object = {}) => store.measure((daybook) => daybook.aggregate({ ...input, ...extra, field }));
    const first = await ask("os");
    expect((await ask("browser")).work.cachedCount).toBe(0);
    const again = await ask("os");
    expect(again.answer).toEqual(first.answer);
    expect(again.work.cachedCount).toBeGreaterThanOrEqual(24);
    for (let asked = 0; asked < 2; asked += 1) expect((await ask("os", where("company_id", "!=", "acme"))).work.cachedCount).toBe(0);
  });
});

describe("heads that grow", () => {
  const startMs = Date.UTC(2026, 0, 1);
  const some = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) => (
      { name: `event ${(from + at) % 5}`, userId: `user ${(from + at) % 701}`, url: `/${(from + at) % 50}`, createdAt: startMs + (from + at) * 40_000 }));

  test.each(["countEvents", "countEventsPerDay", "countEventsRunningTotalPerDay", "countUniqueUsers", "countUniqueUsersPerDay", "aggregate"] as const)(
    "%s after a commit looks at the rows of the commit, on whatever days, and not at those before",
    async (report) => {
      const works: QueryStats[] = [];
      await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(Date.UTC(2026, 0, 20)), onWork: (_, work) => works.push(work) });
      const ask = async (other: Daybook = daybook) => {
        const answer = await other[report]({ ...where("name", "contains", "event"), ...(report === "aggregate" ? { field: "url" } : {}) } as never);
        return [answer, works.pop()?.rowCount];
      };
      await daybook.ingest(some(0, 6_000));
      expect((await ask())[1]).toBe(6_000);
      expect((await ask())[1]).toBe(0);
      await daybook.ingest(some(6_000, 6_100));
      expect((await ask())[1]).toBe(100);
      await daybook.ingest(some(6_100, 10_100));
      // So many that what is known is told anew: the next query has nothing left to look at.
      expect((await ask())[1]).toBe(4_100);
      expect((await ask())[1]).toBe(0);
      await daybook.ingest(some(2_000, 2_030));
      const [answer, rowCount] = await ask();
      expect(rowCount).toBe(30);
      await using fresh = await openDaybook({ storage: memoryStorage(), clock: fixedClock(Date.UTC(2026, 0, 20)) });
      await fresh.ingest([...some(0, 10_100), ...some(2_000, 2_030)]);
      expect(answer).toEqual((await ask(fresh))[0]);
    },
  );
});

describe("explain", () => {
  const accesses = async (input: object, report: "countEvents" | "searchEvents" = "countEvents") => {
    const { segments } = await store.daybook.explain(report, { ...week, ...input });
    return new Set(segments.filter(({ access }) => access !== "pruned").map(({ access }) => access));
  };

  test("tells a scan before a value was asked for, and bits, or the answer itself, afterwards", async () => {
    const mobile = where("device", "=", "mobile");
    expect(await accesses(mobile)).toEqual(new Set(["scan"]));
    await store.daybook.aggregate({ ...week, ...mobile, field: "os" });
    expect(await accesses(mobile)).toEqual(new Set(["bitmaps"]));
    await store.daybook.countEvents({ ...week, ...mobile });
    expect(await accesses(mobile)).toContain("cached");
  });

  test("tells of posting lists once a few of many values were asked for twice", async () => {
    await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(Date.UTC(2026, 0, 3)) });
    const userOf = (at: number) => `user ${(at * 7) % 701}`;
    await daybook.ingest(Array.from({ length: 3_000 }, (_, at) => ({ name: "view", userId: userOf(at), createdAt: Date.UTC(2026, 0, 1) + at * 1_000 })));
    await daybook.seal();
    const access = async (user: string) => (await daybook.explain("searchEvents", where("user_id", "=", user))).segments.map((segment) => segment.access);
    expect(await access("user 3")).toEqual(["scan"]);
    for (const user of ["user 1", "user 2"]) await daybook.searchEvents(where("user_id", "=", user));
    expect(await access("user 3")).toEqual(["postings"]);
    const { events: found } = await daybook.searchEvents(where("user_id", "=", "user 3"));
    expect(found.length).toBe(Array.from({ length: 3_000 }, (_, at) => userOf(at)).filter((user) => user === "user 3").length);
  });
});

const planOf = ({ metadata }: EventInput) => (metadata as { readonly plan?: unknown } | undefined)?.plan;

describe("dictionaries", () => {
  const urls = distinct(events.map((event) => event.url));
  const plans = distinct(events.map((event) => planOf(event)));

  test("equality and its negation test no dictionary value", async () => {
    for (const operator of ["=", "!=", "in"]) {
      const { work } = await store.measure((daybook) => daybook.countEvents(where("url", operator, "/page/1")));
      expect(work.dictionaryValueCount, operator).toBe(0);
    }
    const { work } = await store.measure((daybook) => daybook.countEvents({ eventName: "click", project: "web" }));
    expect(work.dictionaryValueCount).toBe(0);
  });

  test("equality on a metadata key without arrays tests none", async () => {
    const { answer, work } = await store.measure((daybook) => daybook.countEvents(where("metadata.plan", "=", "pro")));
    expect(answer).toBe(events.filter((event) => planOf(event) === "pro").length);
    expect(work.dictionaryValueCount).toBe(0);
  });

  test("any other test looks at each value of the dictionary once, not set among them", async () => {
    expect(urls).toBeGreaterThan(50);
    for (const operator of ["contains", "not_contains", "starts_with", "regex"]) {
      const { work } = await store.measure((daybook) => daybook.countEvents(where("url", operator, "page")));
      expect(work.dictionaryValueCount, operator).toBe(urls + 1);
    }
    const { work } = await store.measure((daybook) => daybook.countEvents(where("metadata.plan", "contains", "r")));
    expect(work.dictionaryValueCount).toBe(plans + 1);
    expect((await store.daybook.explain("countEvents", where("url", "contains", "page"))).dictionaryValueCount).toBe(urls + 1);
  });
});

describe("zone maps", () => {
  test.each([
    ["an event name", { eventName: "rare event" }],
    ["a field", where("device", "=", "teletype")],
    ["a metadata key", where("rare key", "is_set", "")],
    ["a metadata value", where("metadata.rare key", "contains", "es")],
  ])("leave out the segments that lack %s", async (_, input) => {
    const { answer, work, reads } = await store.measure((daybook) => daybook.countEvents(input));
    expect(answer).toBe(1);
    expect([work.segmentCount, work.prunedCount, work.rowCount]).toEqual([1, DAY_COUNT - 1, rowsOfDays(40, 41)]);
    expect(new Set(reads).size).toBe(1);
  });

  test("leave out every segment for a value that no event has", async () => {
    for (const input of [{ eventName: "never" }, where("os", "=", "CP/M"), where("url", "contains", "nowhere"), { project: "none" }]) {
      const { answer, work, reads } = await store.measure((daybook) => daybook.countEvents(input));
      expect([answer, work.segmentCount, work.loadCount, reads.length]).toEqual([0, 0, 0, 0]);
    }
  });

  test("leave out a segment only if no group can match", async () => {
    const group = (fieldName: string, value: string) => ({ filters: [{ fieldName, operator: "=", value }] });
    const either = { filterGroups: [group("device", "teletype"), group("device", "none")] };
    expect((await store.measure((daybook) => daybook.countEvents(either))).work.segmentCount).toBe(1);
    const any = { filterGroups: [group("device", "teletype"), group("device", "mobile")] };
    expect((await store.measure((daybook) => daybook.countEvents(any))).work.segmentCount).toBe(DAY_COUNT);
  });
});

describe("search", () => {
  test("reads no more for a page far behind than for the first one, but the day before or after", async () => {
    let cursor: string | null = null;
    const counts: number[] = [];
    for (let page = 0; page < 30; page += 1) {
      const { answer, work } = await store.measure((daybook) => daybook.searchEvents({ limit: 600, cursor }));
      cursor = answer.cursor;
      counts.push(work.segmentCount);
    }
    expect(Math.max(...counts)).toBeLessThanOrEqual((counts[0] ?? 0) + 1);
    expect(counts[0]).toBeLessThanOrEqual(3);
  });

  test("stops at the day that fills the page", async () => {
    const { answer, work } = await store.measure((daybook) => daybook.searchEvents({ limit: 10 }));
    expect(answer.events.length).toBe(10);
    expect([work.segmentCount, work.rowCount]).toEqual([1, rowsOfDays(89, 90)]);
    const next = await store.measure((daybook) => daybook.searchEvents({ limit: 10, cursor: answer.cursor }));
    expect([next.work.segmentCount, next.work.loadCount]).toEqual([1, 0]);
  });

  test("goes on to as many days as the page needs", async () => {
    const limit = rowsOfDays(88, 90) - 1;
    const { work } = await store.measure((daybook) => daybook.searchEvents({ limit: Math.min(limit, 1_000) }));
    expect(work.segmentCount).toBe(2);
  });
});

describe("memory", () => {
  test("after a restart a count reads the one column it needs of each segment, and a second one nothing", async () => {
    const ask = () => store.measure((daybook) => daybook.countEvents({ eventName: "click" }));
    const first = await ask();
    expect(first.reads.filter((key) => key.startsWith("segments/")).length).toBe(DAY_COUNT);
    expect(first.reads.length).toBe(DAY_COUNT);
    const second = await ask();
    expect([second.work.loadCount, second.reads.length]).toEqual([0, 0]);
    expect(second.answer).toBe(first.answer);
  });

  test("another value of the same column reads nothing more, another column that column", async () => {
    await store.measure((daybook) => daybook.countEvents({ ...week, ...where("device", "=", "mobile") }));
    const sameColumn = await store.measure((daybook) => daybook.countEvents({ ...week, ...where("device", "contains", "top") }));
    expect(sameColumn.reads.length).toBe(0);
    const ranking = await store.measure((daybook) => daybook.aggregate({ ...week, field: "device" }));
    expect(ranking.reads.length).toBe(0);
    const other = await store.measure((daybook) => daybook.aggregate({ ...week, field: "os" }));
    expect(other.reads.length).toBe(7);
  });

  test("people are counted from what is stored beside the rows, read once; from two columns where a filter asks", async () => {
    const first = await store.measure((daybook) => daybook.countUniqueUsers(week));
    expect(first.reads.length).toBe(7);
    const perDay = await store.measure((daybook) => daybook.countUniqueUsersPerDay(week));
    expect(perDay.reads.length).toBe(0);
    const filtered = await store.measure((daybook) => daybook.countUniqueUsers({ ...week, filterGroups: [{ filters: [{ fieldName: "device", operator: "=", value: "mobile" }] }] }));
    expect(filtered.reads.length).toBe(7);
  });

  test("opening reads each footer and dictionary file once, and no column", async () => {
    const opened = await openMeasured(objects);
    const reads = opened.reads();
    expect(reads.filter((key) => key.startsWith("segments/")).length).toBe(DAY_COUNT);
    // The manifest thrice: a byte of it, to tell a store from a directory of stores; whole; and before it is replaced, when it must still be the same.
    expect(new Set(reads).size).toBe(reads.length - 2);
    expect(reads.filter((key) => key === "MANIFEST").length).toBe(3);
    // Saved segments too, of which there are none; but no times of acceptance, which only exports need.
    const times = decodeManifest(objects.get("MANIFEST") ?? new Uint8Array()).received.map(({ key }) => key);
    expect(times).toHaveLength(1);
    expect(new Set(reads)).toEqual(new Set([...[...objects.keys()].filter((key) => !times.includes(key)), "segments.json"]));
  });

  test("the first ingest after a restart reads the ids, the second nothing", async () => {
    store.reads();
    await store.daybook.ingest([{ name: "new", id: "new-1" }]);
    expect(store.reads().filter((key) => key.startsWith("segments/")).length).toBe(DAY_COUNT);
    await store.daybook.ingest([{ name: "new", id: "new-2" }]);
    expect(store.reads()).toEqual([]);
  });
});
