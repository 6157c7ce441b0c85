import { openDaybook, verifyStore, type Daybook, type EventInput, type ExportedEvent } from "daybook";
import { expect } from "vitest";
import { seededRandom } from "../../src/testing/index.js";
import { flipped } from "../format/damage-kit.js";
import { clock } from "./forged-store.js";
import { withObject, type Objects } from "./objects.js";
import { RecordingStorage } from "./recording-storage.js";

const DAY_MS = 86_400_000;

/** Events of three days by six users and five devices, ids of their own. */
export const events: readonly EventInput[] = Array.from({ length: 90 }, (_, at) => ({
  id: `event ${at}`,
  name: ["view", "click", "signup"][at % 3] ?? "",
  userId: at === 7 ? "seen once" : at % 4 === 0 ? null : `user ${at % 6}`,
  anonymousId: `phone ${at % 5}`,
  url: `/page/${at % 17}`,
  companyId: at > 60 ? `company ${at % 3}` : null,
  createdAt: Date.UTC(2026, 2, 1) + (at % 3) * DAY_MS + at * 1_000,
  metadata: at % 2 === 0 ? { plan: ["free", "pro"][at % 4 === 0 ? 0 : 1], seats: at } : { [`only ${at % 9}`]: true },
}));

export async function storeRecords(daybook: Daybook): Promise<void> {
  await daybook.identify({ id: "r1", userId: "user 1", email: "one@example.org", createdAt: new Date(5) });
  await daybook.identify({ id: "r2", userId: "only a record", anonymousId: "phone 2", createdAt: new Date(6) });
  await daybook.group({ id: "r3", userId: "user 2", companyId: "company 1", createdAt: new Date(7) });
}

/** A store of three seals, closed; or left with 30 events in its journal, batches of ten. */
export async function storedObjects(isClosed: boolean): Promise<Objects> {
  const storage = new RecordingStorage();
  const daybook = await openDaybook({ storage, clock });
  for (const from of [0, 30, 60]) {
    if (from === 30) await storeRecords(daybook);
    for (let at = from; at < from + 30; at += 10) await daybook.ingest(events.slice(at, at + 10));
    if (from < 60) await daybook.seal();
  }
  if (isClosed) await daybook.close();
  return storage.objects;
}

export async function exported(daybook: Daybook): Promise<ExportedEvent[]> {
  const all: ExportedEvent[] = [];
  for await (const event of daybook.exportEvents()) all.push(event);
  return all;
}

/** Answers that between them ask every event, link and record. */
export async function answersOf(daybook: Daybook): Promise<unknown> {
  const profiles = [...Array.from({ length: 6 }, (_, at) => `user ${at}`), ...Array.from({ length: 5 }, (_, at) => `phone ${at}`), "only a record", "seen once"].map((userId) =>
    daybook.identityProfile({ userId }).catch((error: unknown) => (error as { code?: string }).code),
  );
  return {
    perDay: await daybook.countEventsPerDay(),
    unique: await daybook.countUniqueUsersPerDay(),
    users: await daybook.aggregate({ field: "user_id" }),
    urls: await daybook.aggregate({ field: "url", filterGroups: [{ filters: [{ fieldName: "metadata.seats", operator: ">", value: "10" }] }] }),
    plans: await daybook.aggregate({ metadataField: "plan" }),
    companies: await daybook.topCompanies({}),
    profiles: await Promise.all(profiles),
    page: await daybook.searchEvents({ limit: 1_000 }).then(({ events: found }) => found),
  };
}

/** A store that never held anything but these events and, where asked for, the records. */
export async function freshStore(survivors: readonly ExportedEvent[], withRecords: boolean): Promise<Daybook> {
  const daybook = await openDaybook({ storage: new RecordingStorage(), clock });
  if (withRecords) await storeRecords(daybook);
  await daybook.ingest(survivors);
  return daybook;
}

/** Salvages a damaged store and demands what must hold whatever the damage: what is left is right, what is lost is told. */
export async function salvaged(damaged: Objects, all: readonly ExportedEvent[]): Promise<{ readonly storage: RecordingStorage; readonly lostCount: number }> {
  const storage = new RecordingStorage(damaged);
  const daybook = await openDaybook({ storage, clock, onCorruption: "quarantine" });
  const left = await exported(daybook);
  const before = new Map(all.map((event) => [event.id, event]));
  for (const event of left) expect(event).toEqual(before.get(event.id));
  const { quarantine } = await daybook.stats();
  const lostCount = quarantine.flatMap(({ lost }) => lost).reduce((sum, { eventCount }) => sum + eventCount, 0);
  for (const { key, byteLength } of quarantine) {
    expect(storage.objects.get(`quarantine/${key}`) ?? new Uint8Array(0)).toEqual(damaged.get(key) ?? new Uint8Array(0));
    expect(byteLength).toBe(damaged.get(key)?.length ?? 0);
  }
  await daybook.close();
  expect((await verifyStore(storage)).findings).toEqual([]);
  return { storage, lostCount };
}

/** Salvages stores of which one to three files are damaged at random. */
export async function salvageRandomly(seed: number, count: number): Promise<void> {
  const stores = [await storedObjects(true), await storedObjects(false)];
  const all = await exported(await openDaybook({ storage: new RecordingStorage(stores[0]), clock }));
  for (let at = 0; at < count; at += 1) {
    const random = seededRandom(seed + at);
    const isClosed = random.next() < 0.5;
    let damaged: Objects = stores[isClosed ? 0 : 1] ?? new Map();
    const keys = [...damaged.keys()].filter((key) => key !== "MANIFEST");
    const names: string[] = [];
    for (let fileCount = 1 + Math.floor(random.next() * 3); fileCount > 0; fileCount -= 1) {
      const key = keys[Math.floor(random.next() * keys.length)] ?? "";
      const bytes = damaged.get(key) ?? new Uint8Array(0);
      const isMissing = random.next() < 0.2;
      damaged = withObject(damaged, key, isMissing ? null : flipped(bytes, Math.floor(random.next() * bytes.length), 1 << Math.floor(random.next() * 8)));
      names.push(`${isMissing ? "missing" : "flipped"} ${key}`);
    }
    try {
      const { storage, lostCount } = await salvaged(damaged, all);
      const daybook = await openDaybook({ storage, clock });
      const left = await daybook.countEvents();
      await answersOf(daybook);
      // What was lost may come again, all of it.
      expect(await daybook.ingest(all)).toEqual({ accepted: all.length - left, duplicates: left, rejected: [], adjusted: [] });
      // The end of a journal that was not closed may be torn: nothing says that there was more, frames of ten.
      const untoldCount = all.length - left - lostCount;
      expect(isClosed ? [0] : [0, 10, 20, 30]).toContain(untoldCount);
    } catch (error) {
      throw new Error(`DAYBOOK_SEED=${seed + at} DAYBOOK_SALVAGES=1: ${names.join(", ")}`, { cause: error });
    }
  }
}
