import { expect, test } from "vitest";
import { openDaybook } from "../../src/index.js";
import { fileStorage } from "../../src/node/index.js";
import { seededRandom } from "../../src/testing/index.js";
import { crashEvent } from "./crash-events.js";
import { emptyDirectory, startProgram } from "./run.js";

const ROUNDS = 5;
const seed = Number(process.env["DAYBOOK_SEED"] ?? 20260301);

test(`a process killed at random moments loses no acknowledged event and doubles none (seed ${seed})`, async () => {
  const random = seededRandom(seed);
  const directory = await emptyDirectory();
  let acknowledged = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const batchRows = [1, 20, 300, 2_000, 7_000][round % 5] ?? 1;
    const writer = startProgram("test/cli/crash-writer.ts", [directory, String(acknowledged), String(batchRows)]);
    await writer.said(/acknowledged \d+\n/);
    await new Promise((resolve) => setTimeout(resolve, random.next() * 700));
    writer.child.kill("SIGKILL");
    const { stdout, stderr, signal } = await writer.finished;
    expect([stderr, signal]).toEqual(["", "SIGKILL"]);
    acknowledged = Math.max(acknowledged, ...[...stdout.matchAll(/acknowledged (\d+)\n/g)].map((match) => Number(match[1])));

    const reopened = await openDaybook({ storage: fileStorage(directory) });
    const numbers: number[] = [];
    for await (const event of reopened.exportEvents()) {
      const number = Number(event.metadata?.["number"]);
      numbers.push(number);
      expect(event).toMatchObject({ name: crashEvent(number).name, userId: crashEvent(number).userId, metadata: crashEvent(number).metadata });
    }
    const stored = numbers.sort((a, b) => a - b);
    // Nothing lost, nothing twice; of the batch in flight any number may be there, and nothing beyond it.
    expect(stored.slice(0, acknowledged)).toEqual(Array.from({ length: acknowledged }, (_, number) => number));
    expect(new Set(stored).size).toBe(stored.length);
    expect(stored.length).toBeLessThanOrEqual(acknowledged + batchRows);
    expect(await reopened.countEvents()).toBe(stored.length);

    const again = Array.from({ length: acknowledged }, (_, number) => crashEvent(number));
    for (let start = 0; start < again.length; start += 50_000) {
      const batch = again.slice(start, start + 50_000);
      expect(await reopened.ingest(batch)).toEqual({ accepted: 0, duplicates: batch.length, rejected: [] });
    }
    expect(await reopened.countEvents()).toBe(stored.length);
    await reopened.close();
  }
  expect(acknowledged).toBeGreaterThan(0);
});
