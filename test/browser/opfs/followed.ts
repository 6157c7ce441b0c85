import { openDaybook, type Daybook, type EventInput, type Storage } from "daybook";
import { opfsStorage } from "daybook/browser";

/** How many events somebody found of each name, and when they began to ask, or when they were acknowledged. */
export interface Sighting {
  readonly atMs: number;
  readonly counts: Readonly<Record<string, number>>;
}

/** Events of each batch. */
export const BATCH_ROW_COUNT = 7;
/** Of somebody who is erased in the end. */
export const GONE = "of the erased";

const FIRST_MS = Date.UTC(2026, 2, 2);
const ASK_MS = 25;
const SEAL_EVERY = 3;
/** Their segment is larger than what is read of it when it is opened. */
const LARGE_ROW_COUNT = 1_000;

let opened: Daybook | null = null;
let sightings: Sighting[] = [];
let failure: string | null = null;

function daybook(): Daybook {
  if (opened === null) throw new Error("no store is open");
  return opened;
}

/** Opens a store for writing; false where somebody else has it. */
export async function openFollowed(store: string): Promise<boolean> {
  opened = await openDaybook({ storage: opfsStorage(store) }).catch((error: unknown) => {
    if (codeOf(error) === "store_locked") return null;
    throw error;
  });
  return opened !== null;
}

/**
 * Writes batches, each under a name of its writer, with pauses or as fast as it can, and seals now and then. Answers what it was told to have stored,
 * and when.
 */
export async function writeFollowed(writer: string, batchCount: number, pauseMs: number): Promise<readonly Sighting[]> {
  const acknowledged: Sighting[] = [];
  for (let batch = 0; batch < batchCount; batch += 1) {
    for (const name of [writer, GONE]) await daybook().ingest(eventsOf(name, `${writer}-${name}-${batch}`));
    await daybook().identify({ userId: `${writer} ${batch}`, email: `${writer}.${batch}@example.org` });
    acknowledged.push({ atMs: Date.now(), counts: { [writer]: (batch + 1) * BATCH_ROW_COUNT } });
    if ((batch + 1) % SEAL_EVERY === 0) await daybook().seal();
    if (pauseMs > 0) await later(pauseMs);
  }
  return acknowledged;
}

function eventsOf(name: string, batch: string): EventInput[] {
  const userIdAt = (at: number) => (name === GONE ? GONE : `user ${at}`);
  return Array.from({ length: BATCH_ROW_COUNT }, (_, at) => ({ id: `${batch}/${at}`, name, userId: userIdAt(at), createdAt: FIRST_MS + at }));
}

/** Writes a segment of which a tenth is to be erased. */
export async function writeLarge(): Promise<void> {
  const userIdAt = (at: number) => (at % 10 === 0 ? GONE : `user ${at}`);
  const eventAt = (at: number) => ({ name: "large", userId: userIdAt(at), url: `/${Math.random()}`, createdAt: FIRST_MS + at });
  await daybook().ingest(Array.from({ length: LARGE_ROW_COUNT }, (_, at) => eventAt(at)));
  await daybook().seal();
}

/** Writes one batch. Answers how far the store has come. */
export async function writeOne(batch: string): Promise<number> {
  await daybook().ingest(eventsOf("one", batch));
  return (await daybook().stats()).eventCount;
}

/** Erases whoever is to be erased. */
export async function eraseFollowed(): Promise<void> {
  const { privacyRequests } = daybook();
  const { id } = await privacyRequests.create({ type: "erasure", subject: { userId: GONE } });
  await privacyRequests.verify(id);
  await privacyRequests.acknowledge(id);
  await privacyRequests.resolve(id, "completed");
}

/** Follows the writer of a store, and asks all the time what there is. */
export async function follow(store: string): Promise<void> {
  opened = await openDaybook({ storage: opfsStorage(store), readOnly: true, follow: true });
  void ask(opened).catch((error: unknown) => (failure = String(error)));
}

/** Says, for each change of a store, how far it has come. */
export async function followChanges(store: string): Promise<void> {
  const follower = await openDaybook({ storage: opfsStorage(store), readOnly: true, follow: true });
  for await (const { sequence } of follower.changes({ after: 0 })) console.log(`changed ${sequence}`);
}

/** Follows a writer, and asks and exports; what it reads of segments waits until it is told that they are gone. Answers what comes of both. */
export async function followHaltingly(store: string): Promise<readonly unknown[]> {
  const inner = opfsStorage(store);
  let gate = Promise.resolve();
  const storage: Storage = {
    list: (prefix) => inner.list(prefix),
    read: async (key, range) => {
      if (key.startsWith("segments/")) await gate;
      return await inner.read(key, range);
    },
    write: (key, bytes) => inner.write(key, bytes),
    remove: (key) => inner.remove(key),
    sync: (keys) => inner.sync(keys),
  };
  const follower = await openDaybook({ storage, readOnly: true, follow: true });
  gate = new Promise((resolve) => void addEventListener("erased", () => resolve(), { once: true }));
  const exported = follower.exportEvents()[Symbol.asyncIterator]().next().then(() => "exported", codeOf);
  const asked = follower.countUniqueUsers({ startDate: "2026-03-01" });
  console.log("asked");
  const outcomes = [await asked, await exported];
  await follower.close();
  return outcomes;
}

async function ask(follower: Daybook): Promise<void> {
  for (;;) {
    const atMs = Date.now();
    const counts = Object.fromEntries((await follower.aggregate({ field: "name" })).map(({ property, count }) => [property, count]));
    sightings.push({ atMs, counts });
    await later(ASK_MS);
  }
}

/** What a follower found since it was asked last. @throws Error where a query failed */
export function seenByFollower(): readonly Sighting[] {
  if (failure !== null) throw new Error(failure);
  const seen = sightings;
  sightings = [];
  return seen;
}

/** What a store answers, in short. */
export async function answersOfFollowed(): Promise<string> {
  const ids: string[] = [];
  for await (const { id, userId } of daybook().exportEvents()) ids.push(`${id} ${userId}`);
  const records: unknown[] = [];
  for await (const record of daybook().exportRecords()) records.push(record);
  const input = { startDate: "2026-03-01", endDate: "2026-03-07" };
  const names = await daybook().aggregate({ field: "name" });
  const answers = [await daybook().countUniqueUsersPerDay(input), await daybook().sessionsOverview(input), await daybook().retention(input)];
  return JSON.stringify([ids, records, names, answers, await daybook().privacyRequests.list()]);
}

/** Segments of a store. */
export async function segmentCountOfFollowed(): Promise<number> {
  return (await daybook().stats()).segmentCount;
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}

function later(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
