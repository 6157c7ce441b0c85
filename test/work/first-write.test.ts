import { expect, test, vi } from "vitest";
import { openDaybook } from "../../src/index.js";
import { TextTable } from "../../src/storage/column/text-table.js";
import { IdTable } from "../../src/store/batch/id-table.js";
import { useLimits } from "../limits.js";
import { lastingMemory } from "../store/objects.js";

// A slice of no length: every step begins with a turn for others.
useLimits({ sliceMs: 0 });

const DAY = 86_400_000;
const VALUE_COUNT = 20_000;

test("The first write after an opening makes room for the ids of all days at once: none of them is moved.", async () => {
  const storage = lastingMemory();
  const first = await openDaybook({ storage });
  await first.ingest(Array.from({ length: 4_000 }, (_, at) => ({ id: `id-${at}`, name: "a", createdAt: Date.UTC(2026, 0, 1) + (at % 40) * DAY })));
  await first.close();
  const reserve = vi.spyOn(IdTable.prototype, "reserving");
  const daybook = await openDaybook({ storage });
  expect(await daybook.ingest([{ id: "id-7", name: "a", createdAt: Date.UTC(2026, 0, 8) }, { id: "new", name: "a" }])).toMatchObject({ accepted: 1, duplicates: 1 });
  const counts = reserve.mock.calls.map(([count]) => count);
  expect(counts[0]).toBe(4_000);
  expect(counts.length).toBeLessThan(4);
  reserve.mockRestore();
  await daybook.close();
});

test("Meanwhile others have turns: between steps of the values of files, between parts of the table of ids, and between parts of the ids of a file.", async () => {
  const storage = lastingMemory();
  const first = await openDaybook({ storage });
  await first.ingest(Array.from({ length: VALUE_COUNT }, (_, at) => ({ name: "a", createdAt: Date.UTC(2026, 0, 1) + at, userId: `user ${at}` })));
  await first.close();
  /** The longest run of calls without a turn of others in between. */
  const longest = { add: 0, addSeen: 0 };
  const running = { add: 0, addSeen: 0 };
  const noting = <K extends "add" | "addSeen">(name: K) => {
    running[name] += 1;
    longest[name] = Math.max(longest[name], running[name]);
  };
  const { add } = TextTable.prototype;
  const { addSeen } = IdTable.prototype;
  vi.spyOn(TextTable.prototype, "add").mockImplementation(function (this: TextTable, text, code) {
    noting("add");
    return add.call(this, text, code);
  });
  vi.spyOn(IdTable.prototype, "addSeen").mockImplementation(function (this: IdTable, index) {
    noting("addSeen");
    addSeen.call(this, index);
  });
  const daybook = await openDaybook({ storage });
  let isWriting = true;
  const look = () => {
    Object.assign(running, { add: 0, addSeen: 0 });
    if (isWriting) setImmediate(look);
  };
  setImmediate(look);
  expect(await daybook.ingest([{ name: "a", userId: "user 1" }])).toMatchObject({ accepted: 1 });
  isWriting = false;
  vi.restoreAllMocks();
  expect(longest.add).toBeGreaterThan(1_000);
  expect(longest.add).toBeLessThan(VALUE_COUNT);
  expect(longest.addSeen).toBeGreaterThan(1_000);
  expect(longest.addSeen).toBeLessThan(VALUE_COUNT);
  expect([...new IdTable(1).reserving(VALUE_COUNT)], "one step for each part of the table").toHaveLength(128);
  await daybook.close();
});
