import { describe, expect, test } from "vitest";
import { fixedClock, openDaybook, type EventInput, type Storage } from "daybook";
import { LIMITS } from "../../src/core/base/limits.js";
import { storeOf } from "../../src/engine/open-daybook.js";
import { Sweeps } from "../../src/engine/upkeep/time-to-live.js";
import { useLimits } from "../limits.js";
import { lastingMemory } from "../store/objects.js";
import { storedText } from "../store/stored-text.js";

const DAY = 86_400_000;
const NOON = Date.UTC(2026, 2, 31, 12);
const MIDNIGHT = Date.UTC(2026, 2, 31);

const open = (storage: Storage, nowMs = NOON, more: object = {}) => openDaybook({ storage, clock: fixedClock(nowMs), ...more });
const visit = (id: string, createdAt: number, more: Partial<EventInput> = {}): EventInput => ({ id, name: "visit", createdAt, url: `/${id}`, ...more });

const events = [
  visit("zebra-a", MIDNIGHT - 9 * DAY), visit("zebra-b", MIDNIGHT - 7 * DAY - 1), visit("c", MIDNIGHT - 7 * DAY), visit("d", NOON),
  visit("zebra-e", MIDNIGHT - 30 * DAY - 1, { project: "shop" }), visit("f", MIDNIGHT - 30 * DAY, { project: "shop" }), visit("g", NOON, { project: "shop" }),
];

/** A store of these with rules: a week, and of the shop 30 days. */
async function ruled(storage: Storage) {
  const daybook = await open(storage);
  await daybook.ingest(events);
  await daybook.timeToLive.set(null, { days: 7 });
  await daybook.timeToLive.set("shop", { days: 30 });
  return daybook;
}

const urls = async (daybook: Awaited<ReturnType<typeof open>>) => (await daybook.aggregate({ field: "url" })).map(({ property }) => property).sort();

describe("rules", () => {
  test("are listed, durable, replaced and taken back", async () => {
    const storage = lastingMemory();
    const daybook = await ruled(storage);
    await daybook.timeToLive.set("a", { days: 36_525 });
    const rules = [{ project: null, days: 7 }, { project: "a", days: 36_525 }, { project: "shop", days: 30 }];
    expect(await daybook.timeToLive.list()).toEqual(rules);
    await daybook.close();
    const again = await open(storage);
    expect(await again.timeToLive.list()).toEqual(rules);
    await again.timeToLive.set("shop", { days: 1 });
    expect([await again.timeToLive.off("a"), await again.timeToLive.off("a"), await again.timeToLive.off(null)]).toEqual([true, false, true]);
    expect(await again.timeToLive.list()).toEqual([{ project: "shop", days: 1 }]);
    await again.close();
    await expect(again.timeToLive.list()).rejects.toMatchObject({ code: "closed" });
  });

  test("have whole days and names of projects, and there is a bound", async () => {
    const daybook = await open(lastingMemory());
    for (const days of [0, 1.5, 36_526, "7", null, undefined])
      await expect(daybook.timeToLive.set(null, { days: days as never })).rejects.toMatchObject({ code: "invalid_parameter", details: { param: "days" } });
    for (const project of ["", "\ud800", 7, undefined, "x".repeat(201)])
      await expect(daybook.timeToLive.set(project as never, { days: 7 })).rejects.toMatchObject({ code: "invalid_parameter", details: { param: "project" } });
    await expect(daybook.timeToLive.set(null, { days: 7, hours: 1 } as never)).rejects.toMatchObject({ code: "unknown_parameter" });
    const storage = lastingMemory();
    await (await ruled(storage)).close();
    await expect((await open(storage, NOON, { readOnly: true })).timeToLive.set(null, { days: 7 })).rejects.toMatchObject({ code: "read_only" });
  });

  test("go with their project", async () => {
    const storage = lastingMemory();
    const daybook = await ruled(storage);
    await daybook.deleteProject("shop");
    expect(await daybook.timeToLive.list()).toEqual([{ project: null, days: 7 }]);
    await daybook.close();
    expect(await storedText(storage)).not.toContain("shop");
  });
});

describe("more rules than a store has room for", () => {
  useLimits({ timeToLiveRuleCount: 2 });

  test("of a deleted project hold for no other of its name", async () => {
    const daybook = await open(lastingMemory());
    await daybook.ingest([visit("a", NOON, { project: "shop" })]);
    await daybook.timeToLive.set("shop", { days: 7 });
    await daybook.deleteProject("shop");
    expect(await daybook.ingest([visit("b", MIDNIGHT - 8 * DAY, { project: "shop" })])).toMatchObject({ accepted: 1, rejected: [] });
    expect(await daybook.timeToLive.sweep()).toMatchObject({ events: 0 });
    expect(await daybook.countEvents()).toBe(1);
  });

  test("are refused", async () => {
    const daybook = await ruled(lastingMemory());
    await expect(daybook.timeToLive.set("third", { days: 7 })).rejects.toMatchObject({ code: "invalid_parameter" });
    await daybook.timeToLive.set("shop", { days: 8 });
  });
});

describe("what is past its time", () => {
  test("is shown before it goes, by the rules there are and by one that might be", async () => {
    const daybook = await ruled(lastingMemory());
    const shop = { project: "shop", keptFrom: "2026-03-01", events: 1, days: 1 };
    expect(await daybook.timeToLive.preview()).toEqual({ events: 3, days: 3, projects: [{ project: "default", keptFrom: "2026-03-24", events: 2, days: 2 }, shop] });
    await daybook.seal();
    const weeks = await daybook.timeToLive.preview({ project: "default", days: 14 });
    expect(weeks).toEqual({ events: 1, days: 1, projects: [shop] });
    expect((await daybook.timeToLive.preview({ project: "shop", days: 1 })).events).toBe(4);
    await expect(daybook.timeToLive.preview({ project: "shop", days: 0 })).rejects.toMatchObject({ code: "invalid_parameter" });
    expect(await daybook.countEvents()).toBe(7);
  });

  test("is refused when it comes, told with a code, and stored where it still has time", async () => {
    const daybook = await open(lastingMemory());
    await daybook.timeToLive.set(null, { days: 7 });
    await daybook.timeToLive.set("shop", { days: 30 });
    const { accepted, rejected } = await daybook.ingest(events);
    expect(accepted).toBe(4);
    expect(rejected.map(({ index, code }) => [index, code])).toEqual([[0, "expired"], [1, "expired"], [4, "expired"]]);
    expect(rejected[2]?.message).toBe("createdAt: expected 2026-03-01T00:00:00.000Z or later, as this project keeps its events for 30 days");
    expect((await daybook.ingest([visit("h", MIDNIGHT - 8 * DAY)], { project: "shop" })).accepted).toBe(1);
  });

  test("goes with a sweep, from answers and from stored bytes, and its ids with it", async () => {
    const storage = lastingMemory();
    const daybook = await ruled(storage);
    expect(await storedText(storage)).toContain("zebra");
    expect(await daybook.timeToLive.sweep()).toMatchObject({ events: 3, segmentsRemoved: 3, segmentsRewritten: 0 });
    expect(await urls(daybook)).toEqual(["/c", "/d", "/f", "/g"]);
    expect(await storedText(storage)).not.toContain("zebra");
    expect(await daybook.timeToLive.preview()).toEqual({ events: 0, days: 0, projects: [] });
    await daybook.timeToLive.off(null);
    expect(await daybook.ingest(events)).toMatchObject({ accepted: 2, duplicates: 4, rejected: [{ index: 4 }] });
  });
});

describe("sweeps by themselves", () => {
  useLimits({ quietMs: 1, sweepLookMs: 1 });
  const until = async (isSo: () => Promise<boolean>) => {
    while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 5));
  };

  test("come soon after an opening, after a rule, and when another day has begun", async () => {
    const storage = lastingMemory();
    const daybook = await open(storage);
    await daybook.ingest(events);
    await daybook.close();
    const clock = fixedClock(NOON);
    const living = await openDaybook({ storage, clock });
    await living.timeToLive.set(null, { days: 60 });
    await living.timeToLive.set("default", { days: 7 });
    await until(async () => (await living.countEvents()) === 5);
    clock.set(NOON + DAY);
    await until(async () => (await living.countEvents()) === 4);
    await living.close();
    const later = await open(storage, NOON + 2 * DAY);
    await until(async () => (await later.countEvents()) === 4);
    await later.close();
    const muchLater = await open(storage, NOON + 3 * DAY);
    await until(async () => (await muchLater.countEvents()) === 4);
    await muchLater.timeToLive.set("default", { days: 1 });
    await muchLater.timeToLive.set("shop", { days: 1 });
    await until(async () => (await muchLater.countEvents()) === 0);
    await muchLater.close();
    expect(await storedText(storage)).not.toContain("zebra");
  });

  test("go on where a clock that was ahead is put right", async () => {
    const storage = lastingMemory();
    const daybook = await open(storage);
    const days = [100, 465, 101, 102];
    const swept: number[] = [];
    await new Promise<void>((resolve) => {
      const sweeps: Sweeps = new Sweeps(storeOf(daybook) ?? expect.fail("no store"), {
        today: () => days[swept.length] ?? 102,
        sweep: async () => void swept.push(days[swept.length] ?? NaN),
        wait: async () => {
          await new Promise((next) => setTimeout(next, 1));
          if (swept.length < days.length) return;
          sweeps.stop();
          resolve();
        },
      });
    });
    expect(swept).toEqual(days);
    await daybook.close();
  });

  test("wait where the clock jumps ahead by more than a day, say so, and go on where it is put right", async () => {
    const clock = fixedClock(NOON);
    const daybook = await openDaybook({ storage: lastingMemory(), clock });
    await daybook.ingest(events);
    await daybook.timeToLive.set(null, { days: 60 });
    clock.set(NOON + 400 * DAY);
    expect(daybook.timeToLive.waiting).toBe("the clock is days ahead of 2026-03-31T12:00:00.000Z: start a sweep by hand");
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([await daybook.countEvents(), (await daybook.stats()).sealError]).toEqual([7, daybook.timeToLive.waiting]);
    clock.set(NOON + DAY);
    expect([daybook.timeToLive.waiting, (await daybook.stats()).sealError]).toEqual([null, null]);
    clock.set(NOON + 2 * DAY + 1);
    expect(daybook.timeToLive.waiting).toContain("the clock is days ahead of 2026-04-01T12:00:00.000Z");
    await daybook.close();
  });

  test("wait after an opening far behind the last one, until a sweep by hand confirms the clock, once for all", async () => {
    const storage = lastingMemory();
    await (await ruled(storage)).close();
    const clock = fixedClock(NOON + 9 * DAY);
    const daybook = await openDaybook({ storage, clock });
    // What was past its time before goes.
    await until(async () => (await daybook.countEvents()) === 4);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([daybook.timeToLive.waiting, await daybook.countEvents()]).toEqual([expect.stringContaining("the clock is days ahead of 2026-03-31"), 4]);
    await daybook.timeToLive.set("shop", { days: 20 });
    expect(daybook.timeToLive.waiting).not.toBeNull();
    await daybook.timeToLive.sweep();
    expect([daybook.timeToLive.waiting, await urls(daybook)]).toEqual([null, ["/g"]]);
    await daybook.close();
    const again = await open(storage, NOON + 10 * DAY);
    expect(again.timeToLive.waiting).toBeNull();
    await again.close();
  });

  test("keep the time of a trusted clock, and none that is ahead", async () => {
    const clock = fixedClock(NOON);
    const daybook = await openDaybook({ storage: lastingMemory(), clock });
    await daybook.timeToLive.set(null, { days: 7 });
    const trusted = () => storeOf(daybook)?.manifest.trustedMs;
    expect(trusted()).toBe(NOON);
    clock.set(NOON + DAY / 4);
    await until(() => Promise.resolve(trusted() === NOON + DAY / 4));
    clock.set(NOON + 9 * DAY);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(trusted()).toBe(NOON + DAY / 4);
    await daybook.close();
  });

  test("wait for a quiet moment, though not for ever", async () => {
    const quietRowCount = LIMITS.quietRowCount;
    Object.assign(LIMITS, { quietRowCount: -1, sweepLateMs: 1e9 });
    try {
      const daybook = await ruled(lastingMemory());
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(await daybook.countEvents()).toBe(7);
      Object.assign(LIMITS, { sweepLateMs: 3 });
      await until(async () => (await daybook.countEvents()) === 4);
      await daybook.close();
    } finally {
      Object.assign(LIMITS, { quietRowCount });
    }
  });

  test("keep nobody from closing, though somebody still reads what went", async () => {
    const storage = lastingMemory();
    const daybook = await ruled(storage);
    const reading = daybook.exportEvents()[Symbol.asyncIterator]();
    await reading.next();
    await until(async () => (await daybook.countEvents()) === 4);
    await daybook.close();
    await reading.return?.();
    const again = await open(storage);
    expect(await again.countEvents()).toBe(4);
    await again.close();
    expect(await storedText(storage)).not.toContain("zebra");
  });

  test("never come in a store that is read, or has no rules", async () => {
    const storage = lastingMemory();
    const daybook = await ruled(storage);
    await daybook.timeToLive.off(null);
    await daybook.timeToLive.off("shop");
    await daybook.close();
    const reader = await open(storage, NOON + 100 * DAY, { readOnly: true });
    const writer = await open(storage, NOON + 100 * DAY);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await writer.countEvents()).toBe(await reader.countEvents());
    await writer.close();
    await reader.close();
  });

  test("that fail are told of, and tried again", async () => {
    const storage = lastingMemory();
    const daybook = await open(storage);
    await daybook.ingest(events);
    await daybook.seal();
    const write = storage.write.bind(storage);
    let isFull = true;
    storage.write = async (key, bytes) => {
      if (isFull && key.startsWith("dictionaries/")) throw new Error("no room");
      await write(key, bytes);
    };
    await daybook.timeToLive.set(null, { days: 7 });
    await until(async () => (await daybook.stats()).sealError === "no room");
    const files = await storage.list("segments/");
    expect(files.length).toBe((await daybook.stats()).segmentCount);
    isFull = false;
    await until(async () => (await daybook.stats()).sealError === null);
    expect(await daybook.countEvents()).toBe(3);
    await daybook.close();
  });
});
