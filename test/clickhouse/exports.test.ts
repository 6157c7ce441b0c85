import { fixedClock, memoryStorage, openDaybook, type Daybook } from "daybook";
import { openClickHouse } from "daybook/clickhouse";
import { describe, expect, test } from "vitest";
import { parseUuid } from "../../src/core/base/uuid.js";
import type { ExportedEvent } from "../../src/core/schema/event.js";
import { AFTER, type ExportedRecordPlace, type PagedExports } from "../../src/engine/exports/place.js";
import type { StoredRecord } from "../../src/core/schema/record.js";
import { arrive } from "../support/random/arrive.js";
import { hostileHistory } from "../support/random/hostile-history.js";
import { nowMs } from "../support/random/now.js";
import { personHistory } from "../support/random/person-history.js";
import { seededRandom } from "../../src/testing/random.js";
import { newDatabase, queryLayouts } from "./kit.js";

async function listOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** A page begins behind the last item of the one before, and no statement reads what came before it. */
async function expectPages(daybook: PagedExports, events: readonly ExportedEvent[]): Promise<void> {
  const records = await listOf(daybook.exportRecords({}));
  for (const [at, { createdAt, id, project }] of events.entries()) {
    const place = { createdAtMs: Date.parse(createdAt), id: parseUuid(id) ?? new Uint8Array(16), project: project ?? "" };
    if (at % 7 === 0) expect(await listOf(daybook.exportEvents({ identityIds: true, [AFTER]: place }))).toEqual(events.slice(at + 1));
  }
  for (const [at, record] of records.entries()) {
    if (at % 5 === 0) expect(await listOf(daybook.exportRecords({ [AFTER]: placeOf(record) }))).toEqual(records.slice(at + 1));
  }
}

function placeOf(record: StoredRecord): ExportedRecordPlace {
  if (record.type === "project") return { name: record.name };
  const id = record.type === "unlink" ? record.linkId : record.id;
  return { createdAtMs: Date.parse(record.createdAt), id: parseUuid(id) ?? new Uint8Array(16), isUnlink: record.type === "unlink" };
}

const histories = {
  "hostile events": hostileHistory(seededRandom(11), 60),
  "persons and companies": [12, 13, 14].flatMap((seed) => personHistory(seededRandom(seed)).history),
};

describe.each(queryLayouts)("an export from ClickHouse, %s", (layout) => {
  test.each(Object.entries(histories))("of %s is that of the embedded engine", async (_name, history) => {
    const { options, drop } = await newDatabase(layout, { clock: fixedClock(nowMs) });
    await using embedded = await openDaybook({ storage: memoryStorage(), clock: fixedClock(nowMs) });
    const daybook = await openClickHouse(options);
    for (const each of [daybook as unknown as Daybook, embedded]) {
      await arrive(each, history);
      await each.createProject("empty");
    }
    const events = await listOf(daybook.exportEvents({ identityIds: true }));
    expect(events).toEqual(await listOf(embedded.exportEvents({ identityIds: true })));
    expect(JSON.stringify(events)).toBe(JSON.stringify(await listOf(embedded.exportEvents({ identityIds: true }))));
    expect(await listOf(daybook.exportEvents({ project: "default", startDate: "2026-03-01" })))
      .toEqual(await listOf(embedded.exportEvents({ project: "default", startDate: "2026-03-01" })));
    const isPhone = [{ filters: [{ fieldName: "anonymous_id", operator: "is_set" }] }] as const;
    const filtered = { filterGroups: isPhone, project: "default", identityIds: true };
    expect(await listOf(daybook.exportEvents(filtered))).toEqual(await listOf(embedded.exportEvents(filtered)));
    for (const name of ["afterSequence", "upToSequence"])
      await expect(listOf(daybook.exportEvents({ [name]: 0 }))).rejects.toMatchObject({ code: "not_supported", message: expect.stringContaining(name) as string });
    expect(await listOf(daybook.exportRecords())).toEqual(await listOf(embedded.exportRecords()));
    expect(await daybook.projects()).toEqual(embedded.projects());
    expect(events.length).toBeGreaterThan(5);
    await expectPages(daybook, events);
    await daybook.close();
    await drop();
  });
});
