// Several writers, seals that lead to compactions, and erasures, all at once; says what is acknowledged. Killed at any moment.
import { openDaybook } from "../../src/index.js";
import { fileStorage } from "../../src/platform/node/index.js";
import { crashEvent } from "./crash-events.js";

const [directory = "", firsts = "[0]", batchRows = "1", name = ""] = process.argv.slice(2);
const daybook = await openDaybook({ storage: fileStorage(directory) });

async function write(first: number, writer: number): Promise<never> {
  for (let next = first; ; next += Number(batchRows)) {
    const events = Array.from({ length: Number(batchRows) }, (_, at) => crashEvent(next + at, writer));
    const { rejected } = await daybook.ingest(events);
    if (rejected.length > 0) throw new Error(`rejected: ${rejected[0]?.message}`);
    process.stdout.write(`acknowledged ${writer} ${next + events.length}\n`);
  }
}

async function seal(): Promise<never> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 15));
    await daybook.seal();
  }
}

async function erase(): Promise<never> {
  const { privacyRequests } = daybook;
  for (let round = 0; ; round += 1) {
    const userId = `gone ${name} ${round}`;
    await daybook.ingest(Array.from({ length: 3 }, (_, day) => ({ name: "gone", userId, createdAt: Date.UTC(2026, 2, 1 + day) })));
    await daybook.identify({ userId, email: `${name}-${round}@example.org` });
    const { id } = await privacyRequests.create({ type: "erasure", subject: { userId } });
    await privacyRequests.verify(id);
    await privacyRequests.acknowledge(id);
    await privacyRequests.resolve(id, "completed");
    process.stdout.write(`erased ${userId};\n`);
  }
}

await Promise.all([...(JSON.parse(firsts) as number[]).map(write), seal(), erase()]);
