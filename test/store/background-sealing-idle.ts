import { memoryStorage, openDaybook } from "daybook";
import { backgroundSealing } from "daybook/node";
import { LIMITS } from "../../src/core/base/limits.js";

// A program that has nothing more to do once its stores are sealed: it never closes the thread. That is idle before each next file, and
// has the long one still to make when the short one is made.
const sealWorker = backgroundSealing();
const [short, long] = [await openDaybook({ storage: memoryStorage(), sealWorker }), await openDaybook({ storage: memoryStorage(), sealWorker })];
const events = (name: string, count: number) => Array.from({ length: count }, (_, at) => ({ id: `${name}-${at}`, name, createdAt: new Date(86_400_000 + at) }));
for (const name of ["first", "second", "third"]) {
  await short.ingest(events(name, LIMITS.workerSealRowCount));
  await long.ingest(events(name, 4 * LIMITS.workerSealRowCount));
  await Promise.all([short.seal(), long.seal()]);
}
const counts = [await short.stats(), await long.stats()];
process.stdout.write(`${counts.map(({ eventCount }) => eventCount).join(" and ")} in ${counts.map(({ segmentCount }) => segmentCount).join(" and ")} segments\n`);
