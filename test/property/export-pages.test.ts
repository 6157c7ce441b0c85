import type { Daybook, ExportedEvent, RecordInput, StoredRecord } from "daybook";
import { memoryStorage } from "daybook";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseUuid } from "../../src/core/base/uuid.js";
import { AFTER } from "../../src/engine/exports/place.js";
import type { ExportPlace, ExportedRecordPlace, PagedExports } from "../../src/engine/exports/place.js";
import { createdAt, event, history } from "./arbitraries.js";
import { holds, openAt, withEvents } from "./law.js";

async function taken<T>(items: AsyncIterable<T>, count: number): Promise<T[]> {
  const some: T[] = [];
  for await (const item of items) {
    some.push(item);
    if (some.length === count) break;
  }
  return some;
}

interface Item {
  readonly createdAt: string;
  readonly id: string;
  readonly project?: string | null | undefined;
}

const placeOf = ({ createdAt: time, id, project }: Item): ExportPlace => ({ createdAtMs: Date.parse(time), id: parseUuid(id) ?? new Uint8Array(0), project: project ?? "" });
const isBehind = (item: Item, last: Item) => item.createdAt > last.createdAt || (item.createdAt === last.createdAt && item.id > last.id);

const scope = fc.constantFrom({}, { project: "default" }, { startDate: "2026-03-01" }, { endDate: "2026-03-01" }, { startDate: "2026-03-01", endDate: "2026-03-01" });
/** What happens before a page is read. */
const act = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("nothing", "seal") },
  { weight: 2, arbitrary: fc.uniqueArray(event, { selector: ({ id }) => id, maxLength: 12 }) },
);

test("Pages of an export begin where the one before ended, whatever comes in and is sealed or merged between them: nothing twice, nothing left out.", () =>
  holds([history, fc.boolean(), scope, fc.array(act, { maxLength: 12 }), fc.integer({ min: 1, max: 6 })], (events, sealed, within, acts, count) =>
    withEvents(events, sealed, async (daybook: Daybook) => {
      const exports: PagedExports = daybook;
      let last: Item | null = null;
      const joined: unknown[] = [];
      for (let page = 0; ; page += 1) {
        const next = acts[page] ?? "nothing";
        if (next === "seal") await daybook.seal();
        else if (next !== "nothing") await daybook.ingest(next);
        const all = await taken(daybook.exportEvents(within), Infinity);
        const before: Item | null = last;
        const expected = all.filter((item) => before === null || isBehind(item, before)).slice(0, count);
        const items: ExportedEvent[] = await taken(exports.exportEvents({ ...within, [AFTER]: before === null ? null : placeOf(before) }), count);
        expect(JSON.stringify(items)).toBe(JSON.stringify(expected));
        joined.push(...items);
        last = items.at(-1) ?? null;
        if (last !== null) continue;
        if (!acts.some((each) => Array.isArray(each))) expect(joined).toEqual(all);
        return;
      }
    })));

const records: fc.Arbitrary<RecordInput[]> = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant("identify" as const), id: fc.integer({ max: 30, min: 0 }).map(String), createdAt, userId: fc.constantFrom("a", "b", "c") }),
    fc.record({ type: fc.constant("alias" as const), id: fc.integer({ max: 30, min: 0 }).map(String), createdAt, from: fc.constantFrom("a", "b"), to: fc.constantFrom("c", "d") }),
    fc.record({ type: fc.constant("unlink" as const), createdAt, linkId: fc.integer({ max: 30, min: 0 }).map(String) }),
    fc.record({ type: fc.constant("project" as const), name: fc.constantFrom("p", "q", "\uFF5E", "\u{1F600}") }),
  ),
  { maxLength: 25 },
);

test("So do pages of records, projects first, and what takes a record back behind it; the order is that of a store that sorts them all at once.", () =>
  holds([fc.array(records, { minLength: 1, maxLength: 5 }), fc.integer({ min: 1, max: 6 })], async (batches, count) => {
    const daybook = await openAt(memoryStorage());
    const exports: PagedExports = daybook;
    const told: RecordInput[] = [];
    for (const batch of batches) {
      await daybook.ingestRecords(batch);
      told.push(...batch);
      const atOnce = await openAt(memoryStorage());
      await atOnce.ingestRecords(told);
      const all = await taken(daybook.exportRecords(), Infinity);
      expect(all).toEqual(await taken(atOnce.exportRecords(), Infinity));
      await atOnce.close();
      const joined: unknown[] = [];
      for (let place: ExportedRecordPlace | null = null; ; ) {
        const items: StoredRecord[] = await taken(exports.exportRecords({ [AFTER]: place }), count);
        joined.push(...items);
        const last = items.at(-1);
        if (last === undefined) break;
        if (last.type === "project") place = { name: last.name };
        else place = { ...placeOf({ createdAt: last.createdAt, id: last.type === "unlink" ? last.linkId : last.id }), isUnlink: last.type === "unlink" };
      }
      expect(joined).toEqual(all);
    }
    await daybook.close();
  }, 60));

