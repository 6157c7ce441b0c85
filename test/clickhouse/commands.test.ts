import { openClickHouse } from "daybook/clickhouse";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { EventInput } from "daybook";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seededRandom } from "../../src/testing/random.js";
import { damagedFile, differencesOf } from "../cli/damaged-files.js";
import { emptyDirectory } from "../cli/run.js";
import { daybookHere } from "../cli/run-here.js";
import { baseSeed, caseCount } from "../oracle/settings.js";
import { newDatabase, placeArguments, queryLayouts } from "./kit.js";

const DAY = 86_400_000;
const today = Math.floor(Date.now() / DAY) * DAY;
const dayText = (back: number) => new Date(today - back * DAY).toISOString().slice(0, 10);
const visit = (back: number, project: string) => ({ name: "visit", createdAt: today - back * DAY, project });

describe.each(queryLayouts)("commands that show and take away, on %s", (layout) => {
  let place: readonly string[] = [];
  let drop: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    const made = await newDatabase(layout);
    drop = made.drop;
    place = placeArguments(made.options);
    await using daybook = await openClickHouse(made.options);
    await daybook.ingest([visit(0, "default"), visit(8, "default"), visit(12, "default"), visit(0, "shop"), visit(20, "shop")]);
  });
  afterAll(async () => await drop?.());

  test("stats shows one row, and no numbers of what is not there", async () => {
    const { code, stdout, stderr } = await daybookHere(["stats", ...place]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(new RegExp(`^organization .*\\ndefault +5 +4 +${dayText(20)} +${dayText(0)} +\\d+ +- +2 +[\\d.]+ kB +[\\d.]+ +-\\n$`));
  });

  test("delete says what would go, asks, and takes it away", async () => {
    const dry = await daybookHere(["delete", ...place, "--before", dayText(10), "--dry-run"]);
    expect([dry.code, dry.stderr]).toEqual([0, ""]);
    expect(dry.stdout).toMatch(new RegExp(`^project +events to delete +days +kept from\\ndefault +1 +1 +${dayText(10)}\\nshop +1 +1 +${dayText(10)}\\n$`));
    const unsure = await daybookHere(["delete", ...place, "--before", dayText(10)]);
    expect([unsure.code, unsure.stderr]).toEqual([2, "daybook delete: --yes is required: there is no terminal to confirm on (see daybook delete --help)\n"]);
    const old = await daybookHere(["delete", ...place, "--before", dayText(10), "--project", "default", "--yes"]);
    expect([old.code, old.stdout.split("\n").at(-2)], old.stderr).toEqual([0, expect.stringMatching(/^deleted 1 event: /)]);
    const unknown = await daybookHere(["delete", ...place, "--project", "nowhere", "--yes"]);
    expect([unknown.code, unknown.stderr]).toEqual([1, 'daybook delete: there is no project "nowhere"\n']);
  });

  test("retention shows rules, sets them once somebody is sure, and takes them back", async () => {
    expect((await daybookHere(["retention", ...place])).stdout).toBe("all events are kept\n");
    const unsure = await daybookHere(["retention", "set", "shop", "--days", "10", ...place]);
    expect([unsure.code, unsure.stdout]).toEqual([2, expect.stringMatching(/^shop +1 +1 +\S+\n$/m)]);
    const sure = await daybookHere(["retention", "set", "shop", "--days", "10", "--yes", ...place]);
    expect([sure.code, sure.stdout.split("\n").at(-2)], sure.stderr).toEqual([0, expect.stringMatching(/^deleted 1 event: /)]);
    expect((await daybookHere(["retention", ...place])).stdout).toMatch(/^project +days kept\nshop +10\n\nno events to delete\n$/);
    expect((await daybookHere(["retention", "off", "shop", ...place])).code).toBe(0);
    const none = await daybookHere(["retention", "off", "shop", ...place]);
    expect([none.code, none.stderr]).toEqual([1, 'daybook retention: there is no rule for "shop"\n']);
  });

  test("delete takes a project away with all it has", async () => {
    expect((await daybookHere(["delete", ...place, "--project", "shop", "--yes"])).stdout).toContain("deleted 1 event:");
    expect((await daybookHere(["stats", ...place])).stdout).toMatch(/^default +2 +2 .* 1 +[\d.]+ kB/m);
  });
});

test("import stores each line of a damaged file or rejects it by its number, and fails where it stores nothing", async () => {
  const made = await newDatabase("one server");
  const directory = await emptyDirectory();
  await using daybook = await openClickHouse(made.options);
  for (let at = 0; at < caseCount(12, 60); at += 1) {
    const file = damagedFile(seededRandom(baseSeed + at));
    const path = join(directory, file.name);
    await writeFile(path, file.bytes);
    // A project of its own, for what it stores.
    const project = `file-${at}`;
    const run = await daybookHere(["import", ...placeArguments(made.options), "--project", project, "--set", project, path]);
    const events: EventInput[] = [];
    for await (const event of daybook.exportEvents({ project })) events.push(event);
    expect(differencesOf(file, run, events), `seed ${baseSeed + at}`).toEqual([]);
  }
  await made.drop();
}, 300_000);

test.each([
  [["stats", "--organization", "x"], "--clickhouse and --organization cannot be combined"],
  [["stats", "--data", "x"], "--clickhouse and --data cannot be combined"],
  [["delete", "--before", "2026-01-01", "--dry-run", "--data", "x"], "--clickhouse and --data cannot be combined"],
  [["retention", "--organization", "x"], "--clickhouse and --organization cannot be combined"],
  [["token", "rotate-signing-key", "--organization", "x"], "--clickhouse and --organization cannot be combined"],
  [["token", "sign", "--scope", "{}", "--expires-in", "1h", "--data", "x"], "--clickhouse and --data cannot be combined"],
])("%j beside --clickhouse is refused", async (args, message) => {
  const { code, stderr } = await daybookHere([...args, "--clickhouse", "http://127.0.0.1:9", "--database", "d"]);
  expect([code, stderr]).toEqual([2, `daybook ${args[0]}: ${message} (see daybook ${args[0]} --help)\n`]);
});
