import { expect, test, vi } from "vitest";
import { openDaybook } from "../../src/index.js";
import { IdTable } from "../../src/store/batch/id-table.js";
import { lastingMemory } from "../store/objects.js";

const DAY = 86_400_000;

test("The first write after an opening makes room for the ids of all days at once: none of them is moved.", async () => {
  const storage = lastingMemory();
  const first = await openDaybook({ storage });
  await first.ingest(Array.from({ length: 4_000 }, (_, at) => ({ id: `id-${at}`, name: "a", createdAt: Date.UTC(2026, 0, 1) + (at % 40) * DAY })));
  await first.close();
  const reserve = vi.spyOn(IdTable.prototype, "reserve");
  const daybook = await openDaybook({ storage });
  expect(await daybook.ingest([{ id: "id-7", name: "a", createdAt: Date.UTC(2026, 0, 8) }, { id: "new", name: "a" }])).toMatchObject({ accepted: 1, duplicates: 1 });
  const counts = reserve.mock.calls.map(([count]) => count);
  expect(counts[0]).toBe(4_000);
  expect(counts.length).toBeLessThan(4);
  reserve.mockRestore();
  await daybook.close();
});
