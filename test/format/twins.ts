import { fixedClock, openDaybook } from "daybook";
import { lastingMemory, objectsOf, type Objects } from "../store/objects.js";

const clock = fixedClock(Date.UTC(2026, 3, 1));

let made: Promise<Objects> | null = null;

/** Two segments of one day, two files of records, each pair of one length: alone they are whole files of the right kind. */
export function twins(): Promise<Objects> {
  return (made ??= make());
}

/**
 * Checksums in footers have nine digits or ten. The ids of events decide the length of segments, those of records that of their files: each is
 * searched for alone.
 */
async function make(): Promise<Objects> {
  const events = await firstTwins("segments/", (attempt) => [attempt, 0]);
  const records = await firstTwins("identities/", (attempt) => [events, attempt]);
  return await storeOf(events, records);
}

async function firstTwins(folder: string, namesOf: (attempt: number) => [events: number, records: number]): Promise<number> {
  for (let attempt = 0; ; attempt += 1) {
    const objects = await storeOf(...namesOf(attempt));
    if (new Set(pairOf(objects, folder).map((key) => objects.get(key)?.length)).size === 1) return attempt;
  }
}

async function storeOf(events: number, records: number): Promise<Objects> {
  const storage = lastingMemory();
  const daybook = await openDaybook({ storage, clock });
  for (const [user, other] of [["a", "b"], ["b", "a"]] as const) {
    await daybook.identify({ id: `${records} ${user}`, userId: user, email: `${other}@example.org`, createdAt: new Date(7) });
    await daybook.ingest([{ id: `${events} ${user}`, name: "view", userId: user, anonymousId: other, createdAt: new Date(5) }]);
    await daybook.seal();
  }
  await daybook.close();
  return await objectsOf(storage);
}

export function pairOf(objects: Objects, folder: string): [string, string] {
  const [first, second] = [...objects.keys()].filter((key) => key.startsWith(folder));
  if (first === undefined || second === undefined) throw new Error(`expected two files in ${folder}`);
  return [first, second];
}
