import { fixedClock, memoryStorage, openDaybook, type Daybook, type ExportedEvent, type StoredRecord } from "daybook";
import { describe, expect, test } from "vitest";
import { MS_PER_DAY } from "../../src/core/base/time.js";
import { parseUuid } from "../../src/core/base/uuid.js";
import { AFTER } from "../../src/engine/exports/place.js";
import type { PagedExports } from "../../src/engine/exports/place.js";
import { orderedRows } from "../../src/storage/segment/ordered-rows.js";
import type { Rows } from "../../src/storage/segment/rows.js";
import { handlerOf, send } from "../http/kit.js";
import { useServerLimits } from "../limits.js";
import { PROJECT_TEXTS, headOf, idBytes } from "../storage/segment/rows-of.js";
import { RecordingStorage } from "../store/recording-storage.js";

const NOW_MS = Date.UTC(2026, 2, 10, 12);
const clock = fixedClock(NOW_MS);

async function* counted<T>(items: AsyncIterable<T>, given: T[]): AsyncGenerator<T> {
  for await (const item of items) {
    given.push(item);
    yield item;
  }
}

/** Texts of all pages of a route, and what the Daybook gave for each. */
async function pagesOf(daybook: Daybook, path: string, afterOf: (last: Record<string, unknown>) => object, isHeeded = true): Promise<{ text: string; givenCounts: number[] }> {
  const exports: PagedExports = daybook;
  const given: unknown[] = [];
  const handler = handlerOf(new Proxy(daybook, {
    get: (target, name) => {
      if (name === "exportEvents") return (input: object) => counted<ExportedEvent>(exports.exportEvents(isHeeded ? input : { ...input, [AFTER]: null }), given as ExportedEvent[]);
      if (name === "exportRecords") return (input: object) => counted<StoredRecord>(exports.exportRecords(isHeeded ? input : {}), given as StoredRecord[]);
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  }));
  const givenCounts: number[] = [];
  let text = "";
  for (let after: object | null = null; ; ) {
    given.length = 0;
    const page = await send(handler, path, { body: { after } });
    givenCounts.push(given.length);
    text += page.text;
    const last = page.text.trimEnd().split("\n").at(-1) ?? "";
    if (last === "") return { text, givenCounts };
    after = afterOf(JSON.parse(last) as Record<string, unknown>);
  }
}

const linesOf = async (items: AsyncIterable<unknown>) => {
  let text = "";
  for await (const item of items) text += `${JSON.stringify(item)}\n`;
  return text;
};

const pageRowCount = 500;
useServerLimits({ exportPageCount: pageRowCount });
const pageCount = 3;
const count = pageRowCount * pageCount;
const expectedCounts = [...Array.from({ length: pageCount }, () => pageRowCount), 0];

describe("a page of an export costs what is on it", () => {
  const afterEvent = ({ createdAt, id, project }: Record<string, unknown>) => ({ createdAt, id, project });
  const afterRecord = ({ type, createdAt, id }: Record<string, unknown>) => ({ type, createdAt, id });

  test("where all events share their time, sealed or not", async () => {
    await using daybook = await openDaybook({ storage: memoryStorage(), clock });
    await daybook.ingest(Array.from({ length: count }, (_, at) => ({ name: "a", id: `event ${at}`, createdAt: NOW_MS })));
    for (const state of ["head", "sealed"]) {
      const { text, givenCounts } = await pagesOf(daybook, "/v1/exports/events", afterEvent);
      expect(givenCounts, state).toEqual(expectedCounts);
      expect(text === (await linesOf(daybook.exportEvents()))).toBe(true);
      await daybook.seal();
    }
  });

  test("where it is of records", async () => {
    await using daybook = await openDaybook({ storage: memoryStorage(), clock });
    await daybook.ingestRecords(Array.from({ length: count }, (_, at) => ({ type: "identify" as const, id: `record ${at}`, userId: `user ${at}`, createdAt: NOW_MS })));
    const { text, givenCounts } = await pagesOf(daybook, "/v1/exports/records", afterRecord);
    expect(givenCounts).toEqual(expectedCounts);
    expect(text === (await linesOf(daybook.exportRecords()))).toBe(true);
  });

  test("and more from a Daybook that does not know where to begin, but holds the same", async () => {
    await using daybook = await openDaybook({ storage: memoryStorage(), clock });
    await daybook.ingest(Array.from({ length: count }, (_, at) => ({ name: "a", id: `event ${at}`, createdAt: NOW_MS })));
    const { text, givenCounts } = await pagesOf(daybook, "/v1/exports/events", afterEvent, false);
    expect(givenCounts[1]).toBe(2 * pageRowCount);
    expect(text === (await linesOf(daybook.exportEvents()))).toBe(true);
  });
});

test("segments whose times lie before a place are not read, of its day neither", async () => {
  const storage = new RecordingStorage();
  const hour = (day: number, at: number) => Date.UTC(2026, 2, day, at);
  const writer = await openDaybook({ storage, clock });
  for (const startMs of [hour(7, 1), hour(8, 1), hour(8, 5)]) {
    await writer.ingest(Array.from({ length: 2_000 }, (_, at) => ({ name: `event ${at}`, createdAt: startMs + at, metadata: { at } })));
    await writer.seal();
  }
  await writer.close();
  const keys = new Set<string>();
  const daybook = await openDaybook({ storage, clock });
  expect((await daybook.stats()).segmentCount).toBe(3);
  storage.before = (operation) => void (operation.startsWith("read segments/") && keys.add(operation));
  const exports: PagedExports = daybook;
  const id = parseUuid("ffffffff-ffff-4fff-bfff-ffffffffffff") ?? new Uint8Array(0);
  let seen = 0;
  for await (const { createdAt } of exports.exportEvents({ [AFTER]: { createdAtMs: hour(8, 3), id, project: "default" } })) {
    expect(createdAt >= "2026-03-08T05").toBe(true);
    seen += 1;
  }
  expect([seen, keys.size]).toEqual([2_000, 1]);
  await daybook.close();
});

describe("rows in order", () => {
  const day = 7;
  const rowCount = 4_096;
  /** Sealed rows, and how often the time of one was looked at. */
  function watched(): { rows: Rows; looks: () => number } {
    const view = headOf(Array.from({ length: rowCount }, (_, at) => ({ ms: 5, id: at, sequence: at + 1, name: 1, url: 0, metadata: {} })), day).view();
    let looks = 0;
    const times = new Proxy(view.times(), {
      get: (target, name) => {
        looks += 1;
        return target[Number(name)];
      },
    });
    return { rows: Object.defineProperties(view, { sealed: { value: true }, times: { value: () => times } }), looks: () => looks };
  }

  test("are found by a binary search: a late page looks at no more of them than an early one", () => {
    for (const start of [0, 1_000, 4_000]) {
      const { rows, looks } = watched();
      const page = orderedRows([rows], { createdAtMs: day * MS_PER_DAY + 5, key: { id: idBytes(start), project: PROJECT_TEXTS.valueOf(0) } }, Infinity);
      for (let taken = 0; taken < 50; taken += 1) page.next();
      expect(looks(), String(start)).toBeLessThan(50 + 2 * (Math.log2(rowCount) + 1) + 3);
    }
  });
});
