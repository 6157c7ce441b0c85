import { memoryStorage, openDaybook, type Daybook } from "daybook";
import { generateTraffic } from "daybook/testing";
import { clock } from "../clock.js";

const EVENTS_PER_DAY = 1_000;
const ROUND_COUNT = 300;
const endMs = Date.UTC(2026, 2, 31);
const MS_PER_DAY = 86_400_000;

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

async function daysOf(dayCount: number): Promise<Daybook> {
  const daybook = await openDaybook({ storage: memoryStorage(), clock });
  const events = [...generateTraffic({ seed: 1, eventCount: EVENTS_PER_DAY * dayCount, dayCount, startMs: endMs - dayCount * MS_PER_DAY })];
  for (let from = 0; from < events.length; from += 10_000) await daybook.ingest(events.slice(from, from + 10_000));
  await daybook.seal();
  return daybook;
}

/** Questions about seven days, with 90 and with 720 days stored: medians of each, asked in turn, and the slowest ratio. */
export async function historyFigures() {
  const [short, long] = [await daysOf(90), await daysOf(720)];
  const week = { startDate: "2026-03-10", endDate: "2026-03-16" };
  const filterGroups = [{ filters: [{ fieldName: "device", operator: "=", value: "mobile" }] }];
  const asked: Record<string, (daybook: Daybook) => Promise<unknown>> = {
    count: (daybook) => daybook.countEvents(week),
    "count with a filter": (daybook) => daybook.countEvents({ ...week, filterGroups }),
    "unique users": (daybook) => daybook.countUniqueUsers(week),
    aggregate: (daybook) => daybook.aggregate({ ...week, field: "url" }),
    search: (daybook) => daybook.searchEvents({ ...week, filterGroups }),
  };
  const figures: Record<string, number> = {};
  for (const [name, ask] of Object.entries(asked)) {
    const times: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUND_COUNT; round += 1)
      for (const [place, daybook] of [short, long].entries()) {
        const startedMs = performance.now();
        await ask(daybook);
        times[place]?.push(performance.now() - startedMs);
      }
    figures[`seven days, ${name}: 720 days stored over 90`] = median(times[1]) / median(times[0]);
  }
  await short.close();
  await long.close();
  return figures;
}
