// Stores events in batches and says after each how many are acknowledged; killed at any moment by crash.test.ts.
import { openDaybook } from "../../src/index.js";
import { fileStorage } from "../../src/platform/node/index.js";
import { crashEvent } from "./crash-events.js";

const [directory = "", first = "0", batchRows = "1"] = process.argv.slice(2);
const daybook = await openDaybook({ storage: fileStorage(directory) });
for (let next = Number(first), batch = 0; ; batch += 1) {
  const events = Array.from({ length: Number(batchRows) }, (_, at) => crashEvent(next + at));
  const { accepted, duplicates, rejected } = await daybook.ingest(events);
  if (rejected.length > 0) throw new Error(`rejected: ${rejected[0]?.message}`);
  next += accepted + duplicates;
  process.stdout.write(`acknowledged ${next}\n`);
  // Kills should meet seals and compactions too, not the journal alone.
  if (batch % 7 === 6) await daybook.seal();
}
