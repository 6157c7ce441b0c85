import { memoryStorage, openDaybook } from "daybook";
import { sealThread } from "daybook/node";
import { LIMITS } from "../../src/base/limits.js";

// A program that has nothing more to do once its store is sealed: it never closes the thread.
const daybook = await openDaybook({ storage: memoryStorage(), sealer: sealThread() });
await daybook.ingest(Array.from({ length: LIMITS.sealedElsewhereRowCount }, (_, at) => ({ id: `e${at}`, name: "view", createdAt: 86_400_000 + at })));
await daybook.seal();
const { eventCount, segmentCount } = await daybook.stats();
process.stdout.write(`${eventCount} in ${segmentCount} segment\n`);
