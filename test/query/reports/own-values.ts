import { memoryStorage, openDaybook } from "daybook";

// 600,000 events, each with an id and a time of its own, asked in a small heap: what is asked for of few of them, or for few, must not cost that of all.
const EVENT_COUNT = 600_000;
const BATCH_COUNT = 5_000;
const daybook = await openDaybook({ storage: memoryStorage(), memoryBudgetBytes: 32 * 1024 * 1024 });
for (let from = 0; from < EVENT_COUNT; from += BATCH_COUNT)
  await daybook.ingest(Array.from({ length: BATCH_COUNT }, (_, at) => ({ name: from + at < 10 ? "rare" : "usual", createdAt: Date.UTC(2025, 0, 1) + (from + at) * 7_001 })));
await daybook.seal();
const ask = async (field: "id" | "createdAt") => {
  const few = await daybook.aggregate({ field, eventName: "rare" });
  const first = await daybook.aggregate({ field, limit: 3 });
  return `${field} ${few.length} ${first.length}`;
};
const all = async (field: "id" | "createdAt") => (await daybook.aggregate({ field })).length;
process.stdout.write(`${await ask("id")}, ${await ask("createdAt")}, ${await all("id")} ${await all("createdAt")}\n`);
await daybook.close();
