import { memoryStorage, openDaybook, type Storage } from "daybook";
import { expect, test } from "vitest";
import type { QueryStats } from "../../src/engine/query/scan.js";
import { useLimits } from "../limits.js";
import { turnsOfOthers } from "../testing/turns-of-others.js";
import { signalOf } from "./counted-signal.js";

// A slice of no length: every segment begins with a turn for others.
useLimits({ sliceMs: 0 });

const DAY_COUNT = 30;

async function monthOfEvents(works: QueryStats[] = [], storage: Storage = memoryStorage()) {
  const daybook = await openDaybook({ storage, onWork: (_, work) => works.push(work) });
  const events = Array.from({ length: DAY_COUNT }, (_, day) => ({ name: "a", createdAt: Date.UTC(2026, 0, 1 + day), url: `/${day}` }));
  await daybook.ingest(events);
  await daybook.seal();
  return daybook;
}

test("A query with a signal lets others have a turn between segments, and answers the same.", async () => {
  const works: QueryStats[] = [];
  await using daybook = await monthOfEvents(works);
  const turnCount = await turnsOfOthers(async () => {
    expect(await daybook.aggregate({ field: "url" }, { signal: new AbortController().signal })).toHaveLength(DAY_COUNT);
  });
  expect(turnCount).toBeGreaterThanOrEqual(DAY_COUNT);
  expect(works[0]?.segmentCount).toBe(DAY_COUNT);
});

test("A query that is stopped in the middle ends with aborted, without reading on, and others go on.", async () => {
  const works: QueryStats[] = [];
  await using daybook = await monthOfEvents(works);
  const controller = new AbortController();
  const stopped = daybook.aggregate({ field: "url" }, { signal: controller.signal });
  setImmediate(() => setImmediate(() => controller.abort()));
  await expect(stopped).rejects.toMatchObject({ code: "aborted" });
  expect(works).toEqual([]);
  expect(await daybook.countEvents()).toBe(DAY_COUNT);
});

test("A query looks at its signal before it loads a segment, and before it looks at the rows.", async () => {
  const storage = Object.assign(memoryStorage(), { volatile: false });
  await (await monthOfEvents([], storage)).close();
  await using daybook = await openDaybook({ storage, readOnly: true });
  const signal = signalOf(Infinity);
  expect(await daybook.aggregate({ field: "url" }, { signal })).toHaveLength(DAY_COUNT);
  expect(signal.looks()).toBeGreaterThanOrEqual(2 * DAY_COUNT);
});

test("A query with many filters lets others have a turn between them, and can be stopped there.", async () => {
  await using daybook = await monthOfEvents();
  const filters = Array.from({ length: 100 }, (_, at) => ({ fieldName: "url", operator: "contains", value: `x${at}` }) as const);
  const controller = new AbortController();
  const stopped = daybook.countEvents({ filterGroups: [{ filters }] }, { signal: controller.signal });
  let turnCount = 0;
  const count = () => {
    turnCount += 1;
    if (turnCount === 50) controller.abort();
    else setImmediate(count);
  };
  setImmediate(count);
  await expect(stopped).rejects.toMatchObject({ code: "aborted" });
  expect(turnCount).toBe(50);
});

test("A query that is stopped before it begins is aborted.", async () => {
  await using daybook = await monthOfEvents();
  await expect(daybook.countEvents({}, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "aborted" });
});
