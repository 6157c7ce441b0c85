import { openDaybook } from "daybook";
import { fileStorage } from "daybook/node";
import { clock } from "../clock.js";
import { windowOf } from "../measure.js";
import { queries } from "../queries.js";
import { TRAFFIC_DAYS } from "../traffic.js";

const WINDOW_COUNT = 3;

async function figures(store: string): Promise<{ estimatedBytes: number; firstAnswerMs: number }> {
  const startedMs = performance.now();
  const daybook = await openDaybook({ storage: fileStorage(store), clock, readOnly: true });
  await daybook.countEvents({ startDate: TRAFFIC_DAYS.first });
  const firstAnswerMs = performance.now() - startedMs;
  for (const query of queries)
    for (let round = 0; round < WINDOW_COUNT; round += 1) await query.run(daybook, windowOf(round));
  return { estimatedBytes: (await daybook.stats()).memoryByteLength, firstAnswerMs };
}

const [store] = process.argv.slice(2);
const found = store === undefined ? {} : await figures(store);
for (let round = 0; round < 3; round += 1) {
  globalThis.gc?.();
  await new Promise((resolve) => setTimeout(resolve, 50));
}
process.stdout.write(JSON.stringify({ ...found, residentBytes: process.memoryUsage().rss }));
