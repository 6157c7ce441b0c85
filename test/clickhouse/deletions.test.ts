import { fixedClock, memoryStorage, openDaybook, type Daybook, type EventInput } from "daybook";
import { openClickHouse, type ClickHouseDaybook, type ClickHouseOptions } from "daybook/clickhouse";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runCommandLine } from "../../src/cli/command-line.js";
import type { DeletionReceipt } from "../../src/engine/upkeep/deletions.js";
import { layouts, newDatabase, order, pathsWith } from "./kit.js";

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 2, 31, 12);
const daysAgo = (days: number) => NOW - days * DAY_MS;

/** What goes holds this text somewhere, and nothing else does. */
const SECRET = "zebra";

/** The links of `dev` and of `pad` begin with what goes: one ends with it, the other begins later. */
const events: EventInput[] = [
  { id: "1", name: "visit", userId: "ann", anonymousId: "dev", createdAt: daysAgo(500), browser: SECRET },
  { id: "2", name: "visit", userId: "ann", anonymousId: "pad", createdAt: daysAgo(40), metadata: { plan: "pro", zebra_key: { deep: [SECRET] } } },
  { id: "3", name: "visit", userId: "bob", anonymousId: "pad", createdAt: daysAgo(30), project: "shop", metadata: { plan: "free" } },
  { id: "4", name: "buy", userId: "ann", anonymousId: "pad", createdAt: daysAgo(5), value: 5, currency: "USD", metadata: { plan: "pro" } },
  { id: "5", name: "visit", anonymousId: "dev", createdAt: daysAgo(4) },
  { id: "6", name: "visit", anonymousId: "pad", createdAt: daysAgo(3) },
  { id: "7", name: "visit", userId: "carl", createdAt: daysAgo(2), project: "zebra-shop" },
];

type Some = Daybook | ClickHouseDaybook;

async function listOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

async function told(daybook: Some): Promise<unknown[]> {
  return [
    await listOf(daybook.exportEvents({ identityIds: true })),
    await listOf(daybook.exportRecords()),
    await daybook.countUniqueUsers(),
    await daybook.identityProfile({ userId: "dev" }).catch(({ code }: { code: string }) => code),
    await daybook.projects(),
    await daybook.timeToLive.list(),
  ];
}

const comparable = (receipt: DeletionReceipt): object => ({ ...receipt, segmentsRewritten: 0, segmentsRemoved: 0, dictionaryValues: 0 });

describe.each(layouts)("deletions on ClickHouse, %s", (layout) => {
  let options: ClickHouseOptions;
  let daybook: ClickHouseDaybook;
  let embedded: Daybook;
  const closing: (() => Promise<void>)[] = [];
  beforeEach(async () => {
    const made = await newDatabase(layout, { clock: fixedClock(NOW) });
    options = made.options;
    closing.push(made.drop);
    daybook = await openClickHouse(options);
    embedded = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW) });
    closing.push(() => daybook.close(), () => embedded.close());
    for (const each of [daybook, embedded]) await each.ingest(events);
  });
  afterEach(async () => {
    await order();
    for (const close of closing.splice(0).reverse()) await close();
  });

  /** What ClickHouse answers, which is what the embedded Daybook does. */
  async function same<T>(ask: (daybook: Some) => Promise<T>): Promise<T> {
    const outcomeOf = (each: Some) => ask(each).catch(({ code, message }: { code: string; message: string }) => ({ code, message }));
    const [answer, expected] = [await outcomeOf(daybook), await outcomeOf(embedded)];
    expect(answer).toEqual(expected);
    return answer as T;
  }

  /** Deletions of two hours ago, each of which broke off. @param doneCount changes of tables before the first that fails */
  async function breakOff(doneCount: number, ...deletions: readonly ((early: ClickHouseDaybook) => Promise<unknown>)[]): Promise<void> {
    const early = await openClickHouse({ ...options, clock: fixedClock(Date.now() - 2 * 3_600_000) });
    closing.push(() => early.close());
    const message = "Code: 241. DB::Exception: Memory limit exceeded. (MEMORY_LIMIT_EXCEEDED)";
    await order({ kind: "error", statement: "ALTER TABLE", after: doneCount, times: 9, message });
    for (const deletion of deletions) await expect(deletion(early)).rejects.toMatchObject({ code: "overloaded" });
    await order();
  }

  test("what is deleted is gone from answers and files, with the links that it alone made", async () => {
    expect(await pathsWith(SECRET)).not.toEqual([]);
    await same((each) => each.deleteEvents({ before: "nonsense" }));
    await same((each) => each.deleteEvents({ before: new Date(daysAgo(30)), project: "nowhere" }));
    await same((each) => each.deleteProject("nowhere"));
    expect(await same(async (each) => comparable(await each.deleteEvents({ before: new Date(daysAgo(30)) })))).toMatchObject({ events: 2 });
    await same(told);
    expect(await same(async (each) => comparable(await each.deleteProject("zebra-shop")))).toMatchObject({ events: 1 });
    await same(told);
    expect(await pathsWith(SECRET)).toEqual([]);
    expect(await same(async (each) => comparable(await each.deleteEvents({ before: new Date(daysAgo(-1)), project: "shop" })))).toMatchObject({ events: 1 });
    await same((each) => each.ingest(events));
    await same(told);
  });

  test("rules of time to live refuse what is past its time, and a sweep takes away what became so", async () => {
    await same((each) => each.timeToLive.set("shop", { days: 0 }));
    await same((each) => each.timeToLive.set("", { days: 1 }));
    const rules = [["shop", 100], ["shop", 60], [null, 20], ["zebra-shop", 1]] as const;
    for (const [project, days] of rules) await same((each) => each.timeToLive.set(project, { days }));
    await same((each) => each.timeToLive.list());
    // An embedded Daybook may have swept by now.
    expect(await daybook.timeToLive.preview()).toMatchObject({ events: 3, days: 3 });
    expect((await daybook.timeToLive.preview({ project: "shop", days: 1 })).projects).toEqual([
      { project: "default", keptFrom: "2026-03-11", events: 2, days: 2 },
      { project: "shop", keptFrom: "2026-03-30", events: 1, days: 1 },
      { project: "zebra-shop", keptFrom: "2026-03-30", events: 1, days: 1 },
    ]);
    const late = { name: "late", createdAt: daysAgo(21) };
    await same((each) => each.ingest([late, { ...late, project: "shop", id: "8" }]));
    expect(await same((each) => each.timeToLive.off("shop"))).toBe(true);
    expect(await same((each) => each.timeToLive.off("shop"))).toBe(false);
    await embedded.timeToLive.sweep();
    expect(await daybook.timeToLive.sweep()).toMatchObject({ events: 5 });
    await same(told);
    expect(await pathsWith("zebra_key")).toEqual([]);
    await same(async (each) => comparable(await each.deleteProject("zebra-shop")));
    await same(told);
    expect(await pathsWith(SECRET)).toEqual([]);
  });

  test("the command sweeps, and finishes a deletion that broke off an hour ago", async () => {
    // The events are gone then, and their links are there.
    await breakOff(1, (early) => early.deleteEvents({ before: new Date(daysAgo(30)) }));
    await embedded.deleteEvents({ before: new Date(daysAgo(30)) });
    const { url = "", database, cluster } = options;
    const place = ["--url", String(url), "--database", database, ...(cluster === undefined ? [] : ["--cluster", cluster])];
    await runCommandLine(["clickhouse", "sweep", ...place]);
    await same(told);
    expect(await pathsWith("zebra_key")).toEqual([]);
  });

  test("a deletion that broke off takes no more than was there when it was asked for", async () => {
    await breakOff(0, (early) => early.deleteProject("zebra-shop"), (early) => early.deleteProject("shop"));
    // One is asked for again, the other is left to the sweep.
    expect(await same(async (each) => comparable(await each.deleteProject("zebra-shop")))).toMatchObject({ events: 1 });
    // With what was noted before.
    expect(await pathsWith("zebra-shop")).toEqual([]);
    await embedded.deleteProject("shop");
    const later = ["shop", "zebra-shop"].map((project) => ({ name: "visit", userId: "dora", createdAt: daysAgo(100), project, id: `of ${project}` }));
    await same((each) => each.ingest(later));
    expect(await daybook.timeToLive.sweep()).toMatchObject({ events: 0 });
    await same(told);
    expect(await daybook.countEvents({ project: "shop" })).toBe(1);
    expect(await daybook.countEvents({ project: "zebra-shop" })).toBe(1);
  });

  test("a project that is made anew behind a deletion that broke off stays, with its rule", async () => {
    await breakOff(0, (early) => early.deleteProject("zebra-shop"), (early) => early.deleteProject("shop"));
    for (const name of ["zebra-shop", "shop"]) await embedded.deleteProject(name);
    // One by its name, the other by its rule.
    for (const each of [daybook, embedded]) {
      await each.createProject("zebra-shop");
      await each.timeToLive.set("shop", { days: 1_000 });
    }
    await daybook.timeToLive.sweep();
    await same(told);
    expect(await daybook.projects()).toContain("zebra-shop");
    expect(await daybook.timeToLive.list()).toEqual([{ project: "shop", days: 1_000 }]);
  });

  test("stats tell what is there", async () => {
    const { storedByteLength, segmentCount, ...stats } = await daybook.stats();
    expect(storedByteLength).toBeGreaterThan(1_000);
    expect(segmentCount).toBeGreaterThan(0);
    expect(stats).toMatchObject({ health: "ok", eventCount: 7, dayCount: 7, firstDay: "2024-11-16", lastDay: "2026-03-29", projects: ["default", "shop", "zebra-shop"] });
  });
});
