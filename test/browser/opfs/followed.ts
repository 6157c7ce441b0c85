import { openDaybook, type Daybook, type EventInput } from "daybook";
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
/** Larger than what is read of a segment when it is opened: a question reads more of it later, when it may be gone. */
const TEXT_CHARACTERS = 300;

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
    if (error instanceof Error && "code" in error && error.code === "store_locked") return null;
    throw error;
  });
  return opened !== null;
}

/** Writes batches with pauses, each under a name of its writer, and seals after every third. Answers what it was told to have stored, and when. */
export async function writeFollowed(writer: string, batchCount: number): Promise<readonly Sighting[]> {
  const acknowledged: Sighting[] = [];
  for (let batch = 0; batch < batchCount; batch += 1) {
    for (const name of [writer, GONE]) await daybook().ingest(eventsOf(name, `${writer}-${name}-${batch}`));
    await daybook().identify({ userId: `${writer} ${batch}`, email: `${writer}.${batch}@example.org` });
    acknowledged.push({ atMs: Date.now(), counts: { [writer]: (batch + 1) * BATCH_ROW_COUNT } });
    if (batch % 3 === 2) await daybook().seal();
    await later(60);
  }
  return acknowledged;
}

function eventsOf(name: string, batch: string): EventInput[] {
  return Array.from({ length: BATCH_ROW_COUNT }, (_, at) => ({
    id: `${batch}/${at}`,
    name,
    userId: name === GONE ? GONE : `user ${at}`,
    metadata: { text: Array.from({ length: TEXT_CHARACTERS }, () => Math.random().toString(36)[2]).join("") },
    createdAt: FIRST_MS + at,
  }));
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

async function ask(follower: Daybook): Promise<void> {
  for (;;) {
    const atMs = Date.now();
    const counts = Object.fromEntries((await follower.aggregate({ field: "name" })).map(({ property, count }) => [property, count]));
    sightings.push({ atMs, counts });
    await later(ASK_MS);
  }
}

/** What a follower found since it was asked last. @throws Error where a question failed */
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
  const questions = [daybook().aggregate({ field: "name" }), daybook().countUniqueUsersPerDay(input), daybook().sessionsOverview(input), daybook().retention(input)];
  return JSON.stringify([ids, records, await Promise.all(questions), await daybook().privacyRequests.list()]);
}

/** Segments of a store. */
export async function segmentCountOfFollowed(): Promise<number> {
  return (await daybook().stats()).segmentCount;
}

function later(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
