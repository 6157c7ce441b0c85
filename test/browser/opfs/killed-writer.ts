import { openDaybook, type Daybook, type EventInput } from "daybook";
import { opfsStorage } from "daybook/browser";
import { seededRandom, type Random } from "daybook/testing";

/** Rows of each batch that is stored, by its name. */
export type Batches = readonly (readonly [name: string, rowCount: number])[];

const DAY_MS = 86_400_000;
const FIRST_MS = Date.UTC(2026, 2, 2);
let opened: Daybook | null = null;

/** Opens a store for writing. Answers what it holds. @throws Error where an event is there twice */
export async function openKilled(store: string): Promise<Batches> {
  opened = await openDaybook({ storage: opfsStorage(store) });
  const batches = new Map<string, number>();
  const ids = new Set<string>();
  for await (const { id, name } of opened.exportEvents()) {
    if (ids.has(id)) throw new Error(`${id} is there twice`);
    ids.add(id);
    batches.set(name, (batches.get(name) ?? 0) + 1);
  }
  return [...batches];
}

/** Writes to it for ever, two batches at a time, and seals now and then. Says of each batch when it is acknowledged. */
export async function writeUntilKilled(round: number, seed: number): Promise<void> {
  if (opened === null) throw new Error("no store is open");
  const daybook = opened;
  const random = seededRandom(seed);
  const write = async (writer: number) => {
    for (let batch = 0; ; batch += 1) {
      const events = eventsOf(`${round}-${writer}-${batch}`, random);
      await daybook.ingest(events);
      console.log(`acknowledged ${events[0]?.name}`);
      if (random.chance(0.05)) await daybook.seal();
    }
  };
  await Promise.all([write(0), write(1)]);
}

/** The name of a batch ends with the number of its rows. */
function eventsOf(batch: string, random: Random): EventInput[] {
  const rowCount = random.chance(0.1) ? random.between(200, 1_000) : random.between(1, 40);
  const text = "x".repeat(random.below(200));
  return Array.from({ length: rowCount }, (_, at) => ({
    id: `${batch}/${at}`,
    name: `${batch}-${rowCount}`,
    userId: `user-${random.below(500)}`,
    url: `/page/${random.below(10_000)}`,
    metadata: { text: `${text}${at}` },
    createdAt: FIRST_MS + random.below(3 * DAY_MS),
  }));
}

/** Closes it in good order. */
export async function closeKilled(): Promise<void> {
  await opened?.close();
}
