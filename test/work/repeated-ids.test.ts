import { expect, onTestFinished, test, vi } from "vitest";
import { openDaybook, type EventInput } from "../../src/index.js";
import { Segment } from "../../src/storage/segment/segment.js";
import { lastingMemory } from "../store/objects.js";

const DAY_MS = 86_400_000;
const AT = Date.UTC(2026, 0, 1);
const DAY_COUNT = 40;

const eventOf = (at: number, dayLater = 0): EventInput => ({ id: `id-${at}`, name: "a", createdAt: AT + ((at % DAY_COUNT) + dayLater) * DAY_MS });

/** A store of forty sealed days, and how often their ids are read, or indexed, from now on. */
async function opened() {
  const storage = lastingMemory();
  const first = await openDaybook({ storage });
  await first.ingest(Array.from({ length: 4_000 }, (_, at) => eventOf(at)));
  await first.close();
  const daybook = await openDaybook({ storage });
  onTestFinished(() => daybook.close());
  await daybook.ingest([{ id: "new", name: "a", createdAt: AT }]);
  const read = vi.spyOn(Segment.prototype, "readIdsOnce");
  const derive = vi.spyOn(Segment.prototype, "derive");
  onTestFinished(() => {
    read.mockRestore();
    derive.mockRestore();
  });
  const daysOfReads = () => read.mock.contexts.map((segment) => (segment as Segment).day - AT / DAY_MS);
  const indexCount = () => derive.mock.calls.filter(([key]) => key === "idIndex").length;
  return { daybook, daysOfReads, indexCount };
}

test("An event that is sent again is found in the ids of its day, which are read once; further ones make an index of them.", async () => {
  const { daybook, daysOfReads, indexCount } = await opened();
  expect(await daybook.ingest([eventOf(17)])).toMatchObject({ duplicates: 1 });
  expect([daysOfReads(), indexCount()]).toEqual([[17], 0]);
  expect(await daybook.ingest([eventOf(17), eventOf(57), eventOf(97)])).toMatchObject({ duplicates: 3 });
  expect([daysOfReads(), indexCount()]).toEqual([[17], 3]);
  expect(await daybook.ingest([{ ...eventOf(17), project: "another" }])).toMatchObject({ accepted: 1 });
});

test("Sent again with a later time, it is found in the nearest days, without reading the others.", async () => {
  const { daybook, daysOfReads } = await opened();
  expect(await daybook.ingest([eventOf(17, 2)])).toMatchObject({ duplicates: 1 });
  expect(daysOfReads()).toEqual([19, 18, 20, 17]);
});
