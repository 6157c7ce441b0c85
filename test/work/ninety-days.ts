import { fixedClock, openDaybook, type Daybook, type EventInput, type ReportName, type QueryStats } from "daybook";
import { generateTraffic } from "daybook/testing";
import type { Objects } from "../store/objects.js";
import { RecordingStorage } from "../store/recording-storage.js";

export const DAY_COUNT = 90;
const startMs = Date.UTC(2026, 0, 1);
const clock = fixedClock(Date.UTC(2026, 3, 10));

/** Ninety days of traffic, some hundred events each; on the day 40 one that no other day has. */
export const events: readonly EventInput[] = [
  ...generateTraffic({ seed: 11, eventCount: 40_000, dayCount: DAY_COUNT, startMs }),
  {
    id: "rare", name: "rare event", createdAt: startMs + 40.5 * 86_400_000, device: "teletype", project: "web",
    metadata: { "rare key": "yes" },
  },
];

/** `YYYY-MM-DD` of a day of the ninety. */
export function dayText(day: number): string {
  return new Date(startMs + day * 86_400_000).toISOString().slice(0, 10);
}

/** Rows of the days `[from, to)`. */
export function rowsOfDays(from: number, to: number): number {
  const dayOf = (event: EventInput) => Math.floor(((event.createdAt as number) - startMs) / 86_400_000);
  return events.filter((event) => dayOf(event) >= from && dayOf(event) < to).length;
}

let made: Promise<Objects> | null = null;

/** A closed store of the events, one segment a day: a copy of one that is made once. */
export async function ninetyDays(): Promise<Objects> {
  made ??= make();
  return new Map(Array.from(await made, ([key, bytes]) => [key, bytes.slice()]));
}

async function make(): Promise<Objects> {
  const storage = new RecordingStorage();
  const daybook = await openDaybook({ storage, clock });
  await daybook.ingest(events);
  await daybook.close();
  return storage.objects;
}

/** A Daybook just opened, and what each query costs it. */
export interface Measured {
  readonly daybook: Daybook;
  /** Keys read from storage since the last call. */
  readonly reads: () => string[];
  /** What the query put by `ask` touched, and its answer. */
  measure<T>(ask: (daybook: Daybook) => Promise<T>): Promise<{ readonly answer: T; readonly work: QueryStats; readonly reads: string[] }>;
}

export async function openMeasured(objects: Objects): Promise<Measured> {
  const storage = new RecordingStorage(objects);
  let keys: string[] = [];
  storage.before = (operation) => {
    if (operation.startsWith("read ")) keys.push(operation.slice(5));
  };
  const reads = () => {
    const taken = keys;
    keys = [];
    return taken;
  };
  const works: [ReportName, QueryStats][] = [];
  const daybook = await openDaybook({ storage, clock, onWork: (report, work) => works.push([report, work]) });
  return {
    daybook,
    reads,
    measure: async (ask) => {
      reads();
      works.length = 0;
      const answer = await ask(daybook);
      const [only, ...others] = works;
      if (only === undefined || others.length > 0) throw new Error(`expected one question, there were ${works.length}`);
      return { answer, work: only[1], reads: reads() };
    },
  };
}
