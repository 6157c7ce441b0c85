import { readFile } from "node:fs/promises";
import { DuckDBInstance } from "@duckdb/node-api";
import { fixedClock, openDaybook, type Daybook, type EventInput } from "daybook";
import { fileStorage } from "daybook/node";
import { generateTraffic } from "daybook/testing";
import { expect, test } from "vitest";
import { emptyDirectory, ROOT, startProgram } from "../cli/run.js";

const START = Date.UTC(2026, 1, 1);
const events: readonly EventInput[] = [...generateTraffic({ seed: 7, eventCount: 400, dayCount: 5, startMs: START, projects: ["web", "app"] })];
/** Every other event comes a night late. */
const nights = [events.filter((_, at) => at % 2 === 0), events.filter((_, at) => at % 2 === 1)];

async function copied(path: string): Promise<unknown[]> {
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  try {
    const sql = "SELECT sequence, id, project, name, userId, anonymousId, epoch_ms(createdAt)::DOUBLE AS ms, epoch_ms(receivedAt)::DOUBLE AS receivedMs, metadata::VARCHAR AS metadata FROM events ORDER BY sequence";
    return (await connection.runAndReadAll(sql)).getRowObjectsJson().map((row) => ({ ...row, sequence: Number(row["sequence"]) }));
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

async function stored(daybook: Daybook): Promise<unknown[]> {
  const rows: { readonly sequence: number }[] = [];
  for await (const { sequence = 0, id, project, name, userId = null, anonymousId = null, createdAt, receivedAt = "", metadata } of daybook.exportEvents({ afterSequence: 0 }))
    rows.push({ sequence, id, project, name, userId, anonymousId, ms: Date.parse(createdAt), receivedMs: Date.parse(receivedAt), metadata: metadata === undefined ? null : JSON.stringify(metadata) } as never);
  return rows.sort((a, b) => a.sequence - b.sequence);
}

test("nightly-copy.ts is twenty-five lines at most without its heading", async () => {
  const lines = (await readFile(`${ROOT}/examples/nightly-copy.ts`, "utf8")).trim().split("\n");
  expect(lines.filter((line) => line !== "" && !line.startsWith("//")).length).toBeLessThanOrEqual(25);
});

test("nightly-copy.ts is in the guide as it is", async () => {
  const [, code = ""] = (await readFile(`${ROOT}/examples/nightly-copy.ts`, "utf8")).split(/^\/\/.*\n/);
  expect(await readFile(`${ROOT}/docs/guide/importing.md`, "utf8")).toContain(code);
});

test("nightly-copy.ts makes a table in DuckDB that is the store after each night, with late events, deletions and an erasure", async () => {
  const [store, folder] = [await emptyDirectory(), await emptyDirectory()];
  const open = () => openDaybook({ storage: fileStorage(store), clock: fixedClock(START + 30 * 86_400_000) });
  const night = async (change: (daybook: Daybook) => Promise<unknown>) => {
    await using daybook = await open();
    await change(daybook);
    const run = await startProgram("examples/nightly-copy.ts", [store, folder]).finished;
    expect([run.code, run.stderr]).toEqual([0, ""]);
    const all = await stored(daybook);
    expect(run.stdout).toBe(`${all.length} events\n`);
    expect(await copied(`${folder}/copy.duckdb`)).toEqual(all);
    return all.length;
  };
  const userId = events.find((event) => typeof event.userId === "string")?.userId as string;
  expect(await night((daybook) => daybook.ingest(nights[0] ?? []))).toBe(200);
  const count = await night(async (daybook) => {
    await daybook.ingest(nights[1] ?? []);
    await daybook.deleteEvents({ before: new Date(START + 86_400_000), project: "web" });
    await daybook.erase({ userId });
  });
  expect(count).toBeLessThan(400);
  expect(count).toBeGreaterThan(200);
}, 240_000);
