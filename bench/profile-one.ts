import { existsSync } from "node:fs";
import { openDaybook } from "daybook";
import { fileStorage } from "daybook/node";
import { clock } from "./clock.js";
import { ingestAll } from "./ingest.js";
import { windowOf } from "./measure.js";
import { profile } from "./profile.js";
import { queries } from "./queries.js";
import { trafficBatches } from "./traffic.js";

/** Where the time of some queries goes, warm, over a store that stays: it is made where it is not there. */
const [directory = "", part = "", count = "1000000"] = process.argv.slice(2);
if (directory === "") throw new Error("expected a directory, a part of a query's name, and how many events");
const storage = fileStorage(directory);
if (!existsSync(directory)) {
  const daybook = await openDaybook({ storage, clock });
  await ingestAll(daybook, trafficBatches({ seed: 1, eventCount: Number(count), batchRowCount: 1_000 }), 4);
  await daybook.close();
}
const daybook = await openDaybook({ storage, clock, readOnly: true });
const warmRoundCount = 30;
for (const query of queries.filter(({ name }) => name.includes(part))) {
  for (let round = 0; round < warmRoundCount; round += 1) await query.run(daybook, windowOf(round));
  process.stdout.write(`${await profile(query, daybook)}\n`);
}
await daybook.close();
