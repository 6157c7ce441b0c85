import { Profile } from "../../test/browser/opfs/profile.js";
import type { Lab } from "../../test/browser/opfs/worker.js";

declare const lab: Lab;

const EVENT_COUNT = 1_000_000;
const ROUND_COUNT = 5;

/**
 * Generated traffic in the private file system of a browser: events a second into it, and how long a page that was just loaded takes to open it and to
 * answer the first query, for writing and beside a writer: medians of some rounds, in ms.
 */
export async function browserFigures() {
  const profile = await Profile.open();
  try {
    const { worker } = await profile.tab();
    const ingestMs = await worker.evaluate((count) => lab.fillStore("traffic", count), EVENT_COUNT);
    const writers = await rounds(profile, false);
    const readers = await rounds(profile, true);
    return {
      browserIngestEventsPerSecond: Math.round((EVENT_COUNT / ingestMs) * 1_000),
      browserOpenMs: median(writers.map(({ openedMs }) => openedMs)),
      browserOpenToAnswerMs: median(writers.map(({ answeredMs }) => answeredMs)),
      browserOpenToAnswerWorstMs: Math.max(...writers.map(({ answeredMs }) => answeredMs)),
      browserReadOnlyOpenToAnswerMs: median(readers.map(({ answeredMs }) => answeredMs)),
    };
  } finally {
    await profile.close();
  }
}

async function rounds(profile: Profile, readOnly: boolean) {
  const found = [];
  for (let round = 0; round < ROUND_COUNT; round += 1) {
    const { page, worker } = await profile.tab();
    const times = await worker.evaluate((reads) => lab.timeOpening("traffic", reads), readOnly);
    if (times.count !== EVENT_COUNT) throw new Error(`expected ${EVENT_COUNT} events, found ${times.count}`);
    found.push(times);
    await page.close();
  }
  return found;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
}
