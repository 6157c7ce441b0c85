import { describe, expect, test } from "vitest";
import { LIMITS } from "../../src/core/base/limits.js";
import { fixedClock } from "../../src/core/base/time.js";
import { sha256Hex } from "../../src/core/base/hash.js";
import { startOfPublic, uuidOfPublic } from "../../src/core/base/uuid.js";
import { memoryStorage, openDaybook, verifyStore } from "../../src/index.js";
import type { Daybook, EventInput } from "../../src/index.js";
import { useLimits } from "../limits.js";
import { inEveryLayout } from "../query/reports/layouts.js";

useLimits({ ownValueCount: 100 });

const KEY = sha256Hex("pk_shop");
const OTHER_KEY = sha256Hex("pk_blog");
const ID = "0190c7a0-1234-7abc-8def-0123456789ab";
const clock = fixedClock(Date.parse("2026-03-10T12:00:00Z"));
const at = "2026-03-01T10:00:00.000Z";

/** The same order id in three projects, at one millisecond; in `shop` it came twice. */
const ORDERS: readonly EventInput[] = [
  { id: ID, name: "order", project: "shop", userId: "ann", createdAt: at },
  { id: ID, name: "order", project: "blog", userId: "bob", createdAt: at },
  { id: ID.toUpperCase(), name: "order again", project: "shop", userId: "ann", createdAt: at },
  { id: ID, name: "order", project: "app", userId: "ann", createdAt: at },
];

const DISTINCT = ORDERS.filter(({ id }) => id === ID);

async function listOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

describe("an id is unique within its project", () => {
  test("the same id in another project is another event, and in its own a duplicate", async () => {
    const daybook = await openDaybook({ storage: memoryStorage(), clock });
    expect(await daybook.ingest(ORDERS)).toMatchObject({ accepted: 3, duplicates: 1, rejected: [] });
    expect(await daybook.ingest(ORDERS)).toMatchObject({ accepted: 0, duplicates: 4 });
    expect(await daybook.ingest([{ ...ORDERS[0], name: "order" }], { project: "news" })).toMatchObject({ accepted: 0, rejected: [{ code: "project_not_allowed" }] });
    expect(await daybook.ingest([{ id: ID, name: "order" }], { project: "news" })).toMatchObject({ accepted: 1 });
    await daybook.close();
  });

  test("a store that is sealed, compacted and opened again knows both, and verify finds nothing wrong", async () => {
    const storage = memoryStorage();
    for (const event of ORDERS) {
      await using writer = await openDaybook({ storage, clock });
      await writer.ingest([event]);
      await writer.seal();
    }
    await using daybook = await openDaybook({ storage, clock });
    expect(await daybook.ingest(ORDERS)).toMatchObject({ accepted: 0, duplicates: 4 });
    expect(await daybook.countEvents()).toBe(3);
    expect((await verifyStore(storage)).findings).toEqual([]);
  });

  test("counts, people and aggregates see one event of each project, whatever they lie in", async () => {
    await inEveryLayout(DISTINCT, async (daybook) => {
      expect(await daybook.countEvents()).toBe(3);
      for (const project of ["shop", "blog", "app"]) expect(await daybook.countEvents({ project })).toBe(1);
      expect(await daybook.countUniqueUsers({ eventName: "order" })).toBe(2);
      expect(await daybook.aggregate({ field: "id" })).toEqual([{ property: ID, count: 3 }]);
      expect(await daybook.aggregate({ field: "id", measure: "unique_users" })).toEqual([{ property: ID, count: 2 }]);
      expect(await daybook.aggregate({ field: "id", project: "shop" })).toEqual([{ property: ID, count: 1 }]);
      expect(await daybook.countEvents({ filterGroups: [{ filters: [{ fieldName: "id", operator: "=", value: ID }] }] })).toBe(3);
    });
  });

  test("of more ids than an answer may list a few are shown, those that several projects have first", async () => {
    const daybook = await openDaybook({ storage: memoryStorage(), clock });
    const many = Array.from({ length: LIMITS.ownValueCount + 1 }, (_, index) => ({ id: uuidOfPublic("many", String(index), KEY), name: "order", project: "many", userId: "ann", createdAt: at }));
    await daybook.ingest([...many, ...DISTINCT]);
    expect(await daybook.aggregate({ field: "id", limit: 1 })).toEqual([{ property: ID, count: 3 }]);
    expect(await daybook.aggregate({ field: "id", limit: 1, measure: "unique_users" })).toEqual([{ property: ID, count: 2 }]);
    await expect(daybook.aggregate({ field: "id" })).rejects.toMatchObject({ code: "too_many_values" });
    await daybook.close();
  });

  test("of one millisecond and id the project decides the order: pages of a search and of an export neither skip nor repeat", async () => {
    await inEveryLayout(DISTINCT, async (daybook) => {
      const projects: (string | null)[] = [];
      for (let cursor: string | null = null; ; ) {
        const page: Awaited<ReturnType<Daybook["searchEvents"]>> = await daybook.searchEvents({ limit: 1, cursor });
        projects.push(...page.events.map(({ project }) => project));
        if (page.cursor === null) break;
        cursor = page.cursor;
      }
      expect(projects).toEqual(["shop", "blog", "app"]);
      expect((await listOf(daybook.exportEvents())).map(({ project }) => project)).toEqual(["app", "blog", "shop"]);
    });
  });

  test("sessions of two projects that begin with one id at one millisecond are paged without a gap", async () => {
    await inEveryLayout(DISTINCT, async (daybook) => {
      const first = await daybook.identitySessions({ userId: "ann", limit: 1 });
      const second = await daybook.identitySessions({ userId: "ann", limit: 1, cursor: first.cursor });
      expect([...first.sessions, ...second.sessions].map(({ project }) => project)).toEqual(["shop", "app"]);
      expect(second.cursor).toBe(null);
    });
  });
});

test("an id that a public key brings is hashed with its project, so it never takes the place of a server's", () => {
  const ids = [uuidOfPublic("shop", ID, KEY), uuidOfPublic("blog", ID, KEY), uuidOfPublic("shop", "order-1001", KEY)];
  expect(new Set([...ids, ID]).size).toBe(4);
  expect(uuidOfPublic("shop", ID, KEY)).toBe(ids[0]);
  expect(uuidOfPublic("shop", ID, OTHER_KEY)).not.toBe(ids[0]);
  expect(ids.every((id) => id.startsWith(startOfPublic(KEY)) && !id.startsWith(startOfPublic(OTHER_KEY)))).toBe(true);
  expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
