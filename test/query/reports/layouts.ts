import { fixedClock, memoryStorage, openDaybook, type Daybook, type DaybookOptions, type EventInput } from "daybook";

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
/** The clock of these tests stands still here: 2026-03-20T12:00Z. */
export const NOW = Date.UTC(2026, 2, 20, 12);

/** Ways in which events can be stored; answers must not depend on them. */
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

interface LayoutOptions extends Partial<DaybookOptions> {
  readonly layouts?: readonly string[];
  readonly prepare?: (daybook: Daybook) => Promise<void>;
}

/** Checks the answers about the same events in every layout, or in those named. `prepare` stores identity records, before or after the events. */
export async function inEveryLayout(
  events: readonly EventInput[],
  check: (daybook: Daybook, layout: string) => Promise<void>,
  { prepare, layouts = LAYOUT_NAMES, ...options }: LayoutOptions = {},
): Promise<void> {
  for (const layout of layouts) {
    const daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW), ...options });
    const store = LAYOUTS[layout];
    if (store === undefined) throw new Error(`expected one of ${LAYOUT_NAMES.join(", ")}, got ${layout}`);
    // In one layout the records come last: they apply to stored events too.
    if (layout !== "sealed") await prepare?.(daybook);
    await store(daybook, events);
    if (layout === "sealed") await prepare?.(daybook);
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
