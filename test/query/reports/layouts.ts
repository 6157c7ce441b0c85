import { fixedClock, memoryStorage, openDaybook, type Daybook, type DaybookOptions, type EventInput } from "daybook";

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
/** The clock of these tests stands still here: 2026-03-20T12:00Z. */
export const NOW = Date.UTC(2026, 2, 20, 12);

/** How events come to lie in a store: an answer must not tell which. */
const LAYOUTS: Readonly<Record<string, (daybook: Daybook, events: readonly EventInput[]) => Promise<void>>> = {
  "in heads": ingestAll,
  sealed: async (daybook, events) => {
    await ingestAll(daybook, [...events].reverse());
    await daybook.seal();
  },
  "in two segments of a day and a head": async (daybook, events) => {
    for (const part of [0, 1, 2]) {
      await ingestAll(daybook, events.filter((_, at) => at % 3 === part));
      if (part < 2) await daybook.seal();
    }
  },
};

async function ingestAll(daybook: Daybook, events: readonly EventInput[]): Promise<void> {
  const { rejected } = await daybook.ingest(events);
  if (rejected.length > 0) throw new Error(`expected events without errors, got ${JSON.stringify(rejected)}`);
}

export const LAYOUT_NAMES = Object.keys(LAYOUTS);

/** Checks the answers about the same events in every layout, or in those named. `prepare` may tell who is who before the events come. */
export async function inEveryLayout(
  events: readonly EventInput[],
  check: (daybook: Daybook, layout: string) => Promise<void>,
  { prepare, layouts = LAYOUT_NAMES, ...options }: Partial<DaybookOptions> & { prepare?: (daybook: Daybook) => Promise<void>; layouts?: readonly string[] } = {},
): Promise<void> {
  for (const layout of layouts) {
    const daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW), ...options });
    await prepare?.(daybook);
    await LAYOUTS[layout]?.(daybook, events);
    await check(daybook, layout);
    await daybook.close();
  }
}

export function iso(ms: number): string {
  return new Date(ms).toISOString();
}

/** Code and message of the error of a promise. */
export async function failure(promise: Promise<unknown>): Promise<[code: unknown, message: string]> {
  try {
    await promise;
  } catch (error) {
    const { code, message } = error as Error & { code?: unknown };
    return [code, message];
  }
  throw new Error("expected an error, there was none");
}
