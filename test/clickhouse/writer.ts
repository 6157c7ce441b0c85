// Stores the batches that it is sent, line by line, and says of each what became of it; killed at any moment by exactly-once.ts.
import { createInterface } from "node:readline";
import { DaybookError, type EventInput } from "daybook";
import { openClickHouse, type ClickHouseOptions } from "daybook/clickhouse";

const daybook = await openClickHouse(JSON.parse(process.argv[2] ?? "") as ClickHouseOptions);
process.stdout.write("ready\n");
for await (const line of createInterface(process.stdin)) {
  const answer = await daybook.ingest(JSON.parse(line) as EventInput[]).catch((error: unknown) => {
    if (error instanceof DaybookError) return { code: error.code };
    throw error;
  });
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
