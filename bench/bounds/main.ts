import { openDaybook } from "daybook";
import { fileStorage } from "daybook/node";
import { MS_PER_DAY } from "../../src/core/base/time.js";
import type { Range } from "../../src/query/plan/plan.js";
import { clock } from "../clock.js";
import { coldRun } from "../cold/children.js";
import { windowOf } from "../measure.js";
import { queryNamed } from "../queries.js";
import { median } from "../table.js";
import type { Bound } from "./bound.js";
import { boundOfFunnel } from "./funnel.js";
import { boundOfSessions } from "./sessions.js";
import { storedEvents } from "./stored-events.js";

/** What two answers take beside the plainest loops over the same stored columns. Its arguments: a store, and `sessions` or `funnel`. */
const [directory = "", name = ""] = process.argv.slice(2);
const SESSIONS = "sessions overview by day, 30 days";
const FUNNEL = "funnel of three steps, 30 days";
const warmupRoundCount = 30;
const roundCount = 41;

function rangeOf(round: number): Range {
  const { startDate, endDate } = windowOf(round);
  return { fromMs: Date.parse(startDate), toMs: Date.parse(endDate) + MS_PER_DAY };
}

/** The middle of some rounds of a query that was asked before. */
async function warmMsOf(queryName: string): Promise<number> {
  const query = queryNamed(queryName);
  const daybook = await openDaybook({ storage: fileStorage(directory), clock, readOnly: true });
  const tookMs: number[] = [];
  for (let round = 0; round < warmupRoundCount + roundCount; round += 1) {
    const startedMs = performance.now();
    await query.run(daybook, windowOf(round));
    if (round >= warmupRoundCount) tookMs.push(performance.now() - startedMs);
  }
  await daybook.close();
  return median(tookMs);
}

function show(query: string, { description, leastMs }: Bound, daybookMs: number): void {
  console.log(`${query}: ${description}; together ${leastMs.toFixed(0)} ms. Daybook ${daybookMs.toFixed(0)} ms: ${(daybookMs / leastMs).toFixed(2)} times that`);
}

if (name === "sessions") show(SESSIONS, await boundOfSessions(await storedEvents(directory), rangeOf(0)), coldRun("daybook", directory, SESSIONS).firstMs);
else if (name === "funnel") show(FUNNEL, await boundOfFunnel(await storedEvents(directory), rangeOf, roundCount), await warmMsOf(FUNNEL));
else throw new Error(`expected a directory with a store, and sessions or funnel, got ${directory} and ${name}`);
process.exit();
