import { openDaybook, verifyStore } from "daybook";
import { fileStorage } from "daybook/node";
import { expect } from "vitest";
import { seededRandom } from "../../src/testing/index.js";
import { crashEvent } from "./crash-events.js";
import { emptyDirectory, startProgram } from "./run.js";

const WRITER_COUNT = 3;
/** After these many cycles in one directory the next begins in an empty one: reading all back is the longest part. */
const CYCLES_PER_DIRECTORY = 5;

/** Kills a busy process at random moments, and demands each time that nothing acknowledged is lost, nothing doubled, nobody erased back. */
export async function killCycles(seed: number, cycleCount: number): Promise<void> {
  const random = seededRandom(seed);
  let directory = "";
  let acknowledged: number[] = [];
  /** How far writers may have come: a batch in flight may be stored whole. */
  let reached: number[] = [];
  let erased: string[] = [];
  let erasedCount = 0;
  for (let cycle = 0; cycle < cycleCount; cycle += 1) {
    if (cycle % CYCLES_PER_DIRECTORY === 0) {
      directory = await emptyDirectory();
      acknowledged = Array.from({ length: WRITER_COUNT }, () => 0);
      reached = [...acknowledged];
      erased = [];
    }
    const batchRows = [1, 20, 300, 2_000, 7][cycle % 5] ?? 1;
    const writer = startProgram("test/cli/busy-writer.ts", [directory, JSON.stringify(acknowledged), String(batchRows), `cycle ${cycle}`]);
    // Every other kill comes once somebody was erased, the rest sooner.
    await writer.said(cycle % 2 === 0 ? /acknowledged \d+ \d+\n/ : /erased .*;\n/);
    await new Promise((resolve) => setTimeout(resolve, random.next() * 500));
    writer.child.kill("SIGKILL");
    const { stdout, stderr, signal } = await writer.finished;
    expect([stderr, signal], `cycle ${cycle} of seed ${seed}`).toEqual(["", "SIGKILL"]);
    for (const [, of, count] of stdout.matchAll(/acknowledged (\d+) (\d+)\n/g)) acknowledged[Number(of)] = Math.max(acknowledged[Number(of)] ?? 0, Number(count));
    reached = reached.map((count, of) => Math.max(count, (acknowledged[of] ?? 0) + batchRows));
    erased.push(...[...stdout.matchAll(/erased (.*);\n/g)].map((match) => match[1] ?? ""));
    erasedCount += erased.length;
    await expectIntact(directory, { acknowledged, reached, erased }, `cycle ${cycle} of seed ${seed}`);
  }
  expect(Math.min(erasedCount, Math.max(...acknowledged))).toBeGreaterThan(0);
}

interface Acknowledged {
  /** Events of each writer, from 0 on. */
  readonly acknowledged: readonly number[];
  /** How many there may be at most. */
  readonly reached: readonly number[];
  readonly erased: readonly string[];
}

async function expectIntact(directory: string, { acknowledged, reached, erased }: Acknowledged, place: string): Promise<void> {
  const verified = await verifyStore(fileStorage(directory));
  expect(verified.findings, place).toEqual([]);
  const daybook = await openDaybook({ storage: fileStorage(directory) });
  const stored = new Map<number, number[]>();
  let otherCount = 0;
  for await (const { metadata, ...event } of daybook.exportEvents()) {
    if (event.name === "gone") {
      expect(erased, place).not.toContain(event.userId);
      otherCount += 1;
      continue;
    }
    const [number, writer] = [Number(metadata?.["number"]), Number(metadata?.["writer"])];
    const expected = crashEvent(number, writer);
    expect([event.name, event.userId, event.url, metadata], place).toEqual([expected.name, expected.userId, expected.url, expected.metadata]);
    const numbers = stored.get(writer) ?? [];
    numbers.push(number);
    stored.set(writer, numbers);
  }
  let storedCount = otherCount;
  for (const [writer, count] of acknowledged.entries()) {
    const numbers = (stored.get(writer) ?? []).sort((a, b) => a - b);
    storedCount += numbers.length;
    // Nothing lost, nothing twice; of batches in flight all may be there, and nothing beyond them.
    expect(numbers, place).toEqual(Array.from({ length: numbers.length }, (_, number) => number));
    expect(numbers.length, place).toBeGreaterThanOrEqual(count);
    expect(numbers.length, place).toBeLessThanOrEqual(reached[writer] ?? 0);
    const again = Array.from({ length: Math.min(count, 2_000) }, (_, number) => crashEvent(number, writer));
    expect(await daybook.ingest(again), place).toEqual({ accepted: 0, duplicates: again.length, rejected: [], adjusted: [] });
  }
  expect(await daybook.countEvents(), place).toBe(storedCount);
  expect(verified.eventCount, place).toBe(storedCount);
  await daybook.close();
  expect((await verifyStore(fileStorage(directory))).findings, place).toEqual([]);
}
