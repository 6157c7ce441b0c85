import { openStore } from "../daybook.js";
import { LiveTraffic } from "../live.js";
import { measureLive } from "../measure.js";
import { queries } from "../queries.js";

export interface LiveFigures {
  readonly medianMs: Readonly<Record<string, number>>;
  /** After the last query. */
  readonly residentBytes: number;
}

/** Median times of all queries in one process while events arrive. Its argument: the store, which it changes. */
const [path = ""] = process.argv.slice(2);
const ROUND_COUNT = 9;

const daybook = await openStore(path);
const live = new LiveTraffic(daybook);
await live.begin();
const medianMs: Record<string, number> = {};
for (const query of queries) {
  medianMs[query.name] = await measureLive(query, daybook, live, ROUND_COUNT);
  process.stderr.write(`${query.name}: ${medianMs[query.name]?.toFixed(2)} ms\n`);
}
const residentBytes = process.memoryUsage.rss();
await daybook.close();
process.stdout.write(JSON.stringify({ medianMs, residentBytes } satisfies LiveFigures));
