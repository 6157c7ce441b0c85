import { readFile, writeFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import { openDaybook } from "daybook";
import { fileStorage } from "daybook/node";
import { describe, expect, test } from "vitest";
import { daybookHere } from "./run-here.js";
import { emptyDirectory } from "./run.js";

const EVENTS = ["a", "b", "c", "d"].map((name, at) => ({ id: `${at}`, name, userId: `user ${at % 2}`, createdAt: `2026-03-0${5 - at}T00:00:00Z` }));

/** A store of four events, without those of 1 and 2 March. */
async function stored(): Promise<string> {
  const directory = await emptyDirectory();
  await using daybook = await openDaybook({ storage: fileStorage(`${directory}/data`) });
  await daybook.ingest(EVENTS);
  await daybook.deleteEvents({ before: "2026-03-03" });
  return directory;
}

const run = (directory: string, ...args: string[]) => daybookHere(["export", "--data", `${directory}/data`, "--events-only", ...args]);

describe("daybook export", () => {
  test("--after-sequence writes later events with their sequences, says where it stands, and --deletions writes what went", async () => {
    const directory = await stored();
    const { code, stdout, stderr } = await run(directory, "--after-sequence", "1", "--out", `${directory}/new.ndjson`, "--deletions", `${directory}/gone.ndjson`);
    expect([code, stderr]).toEqual([0, "daybook export: up to sequence 5\n"]);
    expect(stdout).toContain("new.ndjson: 2 events");
    expect((await readFile(`${directory}/new.ndjson`, "utf8")).match(/"sequence":\d+/g)).toEqual(['"sequence":3', '"sequence":2']);
    expect(JSON.parse(await readFile(`${directory}/gone.ndjson`, "utf8"))).toMatchObject({ action: "delete", fromSequence: 1, toSequence: 4, before: "2026-03-03T00:00:00.000Z" });
  });

  test("--deletions is gzipped if its name ends in .gz", async () => {
    const directory = await stored();
    const file = `${directory}/gone.ndjson.gz`;
    expect((await run(directory, "--after-sequence", "1", "--deletions", file)).code).toBe(0);
    expect(gunzipSync(await readFile(file)).toString()).toMatch(/^\{"action":"delete".*\}\n$/);
  });

  test("--event and --filters select events", async () => {
    const directory = await stored();
    expect((await run(directory, "--event", "b")).stdout).toContain('"name":"b"');
    const filters = JSON.stringify([{ filters: [{ fieldName: "user_id", operator: "=", value: "user 0" }] }]);
    const { stdout } = await run(directory, "--filters", filters, "--format", "csv", "--after-sequence", "0");
    expect(stdout.split("\r\n")).toHaveLength(4);
    expect(stdout).toMatch(/,sequence,receivedAt\r\n.*,3,2\d{3}-.*Z\r\n.*,1,2\d{3}-.*Z\r\n$/);
  });

  test.each([
    [["--deletions", "x"], "--deletions: expected --after-sequence beside it"],
    [["--after-sequence", "x"], "--after-sequence: expected a whole number"],
    [["--filters", "{"], "--filters: expected JSON"],
    [["--after-sequence", "6"], "afterSequence: expected a sequence up to the newest, which is 5, got 6"],
    [["--after-sequence", "0", "--out", "same.ndjson", "--deletions", "./same.ndjson"], "--deletions: expected another file than --out, got ./same.ndjson for both"],
    [["--filters", '[{"filters":[{"fieldName":"a","operator":"like"}]}]'], "filterGroups[0].filters[0].operator"],
  ])("refuses %j", async (args, message) => {
    const { code, stderr } = await run(await stored(), ...args);
    expect(code).not.toBe(0);
    expect(stderr).toContain(message);
  });

  test.each(["ndjson", "csv", "arrow", "parquet"])("%s with sequences is read back by import, without them", async (format) => {
    const directory = await stored();
    const file = `${directory}/new.${format}`;
    expect((await run(directory, "--after-sequence", "0", "--format", format, "--raw-cells", "--out", file).then((ran) => (format === "csv" ? ran : run(directory, "--after-sequence", "0", "--format", format, "--out", file)))).code).toBe(0);
    const { code, stderr } = await daybookHere(["import", "--data", `${directory}/copy`, file]);
    expect([code, stderr]).toEqual([0, ""]);
    const copy = await daybookHere(["export", "--data", `${directory}/copy`, "--events-only"]);
    expect(copy.stdout).toBe((await run(directory)).stdout);
  });

  test("columns named sequence and receivedAt in a file of others stay keys of metadata", async () => {
    const directory = await emptyDirectory();
    await writeFile(`${directory}/a.csv`, "name,createdAt,sequence,receivedAt\na,2026-03-01T00:00:00Z,7,8\n");
    expect((await daybookHere(["import", "--data", `${directory}/data`, `${directory}/a.csv`])).code).toBe(0);
    expect((await daybookHere(["export", "--data", `${directory}/data`])).stdout).toContain('"metadata":{"sequence":"7","receivedAt":"8"}');
  });
});
