import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openClickHouse, type ClickHouseOptions } from "daybook/clickhouse";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { Connection } from "../../src/clickhouse/connection/connection.js";
import { migrateClickHouse } from "../../src/clickhouse/open-clickhouse.js";
import { sql } from "../../src/clickhouse/sql/sql.js";
import { change } from "../../src/clickhouse/tables/servers.js";
import { TableNames } from "../../src/clickhouse/tables/layout.js";
import { reportOf, type ClickHouseReport } from "../../src/clickhouse/verify/report.js";
import { daybookHere } from "../cli/run-here.js";
import { emptyDirectory } from "../cli/run.js";
import { flipped } from "../format/damage-kit.js";
import { connectTo, layouts, newDatabase, newOptions, placeArguments, startServer, type Layout } from "./kit.js";

const ID = "0195800a-0000-7000-8000-00000000000";
const AT = Date.UTC(2026, 2, 1);

/** A database with some rows in each table that has laws, and what breaks them. */
async function stored(layout: Layout) {
  const { options, drop } = await newDatabase(layout);
  onTestFinished(drop);
  await fill(options);
  const connection = await connectTo(options);
  onTestFinished(() => connection.close());
  const { database, cluster = null } = options;
  const servers = { connection, names: new TableNames(database, cluster), database, cluster };
  return { options, servers, connection, local: (table: string) => `${database}.${table}${cluster === null ? "" : "_local"}` };
}

async function fill(options: ClickHouseOptions): Promise<void> {
  await using daybook = await openClickHouse(options);
  const seen = { name: "seen", anonymousId: "a", userId: "ann" };
  await daybook.ingest([{ ...seen, createdAt: AT, id: `${ID}1` }, { ...seen, createdAt: AT - 5, project: "shop" }, { name: "seen", createdAt: AT + 86_400_000 }]);
  await daybook.identify({ userId: "bob", anonymousId: "b" });
}

const linesOf = ({ findings }: ClickHouseReport) => findings.map(({ file, expected, found }) => `${file}: expected ${expected}, found ${found}`);

describe.each(layouts)("daybook verify --clickhouse, %s", (layout) => {
  test("says that all is whole, and which files were looked at", async () => {
    const { options } = await stored(layout);
    const { code, stdout, stderr } = await daybookHere(["verify", ...placeArguments(options)]);
    expect([code, stderr]).toEqual([0, ""]);
    const others = layout === "one server" ? "" : "files: checked only on \\S+; the cluster has 2 servers: check each of them by its own URL\\n";
    expect(stdout).toMatch(new RegExp(`^${others}${options.database}: intact: 3 events of 3 days, 1 record; checked \\d+ parts of 10 tables on \\S+\\n$`));
  });

  test("names each law that rows break", async () => {
    const { servers, connection } = await stored(layout);
    await connection.insert("events", [{ id: `${ID}1`, name: "seen", project: "default", ms: AT, day: AT / 86_400_000 }]);
    await connection.insert("events", [{ id: `${ID}2`, name: "", project: "", ms: AT, day: 7 }]);
    const [[record] = [""]] = await connection.rows<[string]>(sql`SELECT toString(id) FROM records`);
    await connection.insert("records", [{ kind: "group", id: record, ms: AT }, { kind: "unlink", id: record, ms: AT }]);
    await change(servers, "links", sql`DELETE WHERE userId IN ('ann', 'bob')`);
    await change(servers, "projects", sql`DELETE WHERE name = 'shop'`);
    const found = [
      `events: expected ${ID}1 once, found it 2 times`,
      `records: expected ${record} once, found it 2 times`,
      "events: expected the day of its time in each row, found rows with another day: 1",
      "events: expected a name in each row, found rows without one: 1",
      "events: expected a project in each row, found rows without one: 1",
      "links: expected a link for each pair of ids in events, from the first event on, found pairs without one: 1",
      "links: expected a link for each record that makes one, found records without one: 1",
      "projects: expected the name of each project that has events, found missing names: 1",
    ];
    expect(linesOf(await reportOf(servers, 1, 0))).toEqual(found);
  });

  test("takes a link that begins too late for none, and tells of those that nothing gives", async () => {
    const { servers, connection } = await stored(layout);
    await change(servers, "links", sql`DELETE WHERE userId = 'ann'`);
    const record = "00000000-0000-0000-0000-000000000000";
    await connection.insert("links", [{ anonymousId: "a", userId: "ann", record, firstMs: AT }, { anonymousId: "z", userId: "zoe", record, firstMs: AT }]);
    const late = await reportOf(servers, 1, 0);
    expect(linesOf(late)).toEqual(["links: expected a link for each pair of ids in events, from the first event on, found pairs without one: 1"]);
    expect(late.strayLinkCount).toBe(1);
    await connection.insert("links", [{ anonymousId: "a", userId: "ann", record, firstMs: AT - 6 }]);
    expect(await reportOf(servers, 1, 0)).toMatchObject({ findingCount: 0, strayLinkCount: 2 });
  });

  test("passes over what is so for a moment only", async () => {
    const { servers } = await stored(layout);
    const rows = vi.spyOn(Connection.prototype, "rows").mockResolvedValueOnce([[`${ID}9`, 2, 1]]);
    onTestFinished(() => rows.mockRestore());
    expect(await reportOf(servers, 1, 0)).toMatchObject({ findingCount: 0 });
    expect(rows.mock.calls[0]?.[0].texts.join("")).toContain("copies");
  });

  test("names tables, views and columns that are missing, and exits 1", async () => {
    const { options, connection, local } = await stored(layout);
    await connection.define(`DROP TABLE ${options.database}.links_of_events`);
    await connection.define(`DROP TABLE ${local("segments")} SYNC`);
    await connection.define(`ALTER TABLE ${local("records")} DROP COLUMN email`);
    const { code, stdout, stderr } = await daybookHere(["verify", ...placeArguments(options)]);
    const [table, records] = layout === "one server" ? ["segments", "records"] : ["segments_local", "records_local"];
    // Both replicas are one server here; of two shards the asked one alone lacks them.
    const all = { "one server": "1 of 1", "two shards": "1 of 2", "two replicas": "2 of 2" }[layout];
    expect(stdout.split("\n")).toEqual([
      `${records}: expected its column email of the type String on each server, found none on ${all}`,
      `${table}: expected the table on each server, found none on ${all}`,
      `links_of_events: expected the view on each server, found none on ${all}`,
      'the rows were not checked, as tables are missing or different: "daybook clickhouse migrate" creates missing ones',
      `${options.database}: damaged: some tables are missing or different`, "",
    ]);
    expect([code, stderr]).toEqual([1, `daybook verify: ${options.database}: 3 findings\n`]);
  });
});

test("names columns of other types, and what stands in place of a view", async () => {
  const { options, servers, connection } = await stored("one server");
  const { database } = options;
  await connection.define(`ALTER TABLE ${database}.privacy_requests MODIFY COLUMN isErased UInt8`);
  await connection.define(`ALTER TABLE ${database}.events MODIFY COLUMN metadata JSON(max_dynamic_paths = 16)`);
  await connection.define(`DROP TABLE ${database}.links_of_records`);
  await connection.define(`CREATE TABLE ${database}.links_of_records (x UInt8) ENGINE = Memory`);
  expect(linesOf(await reportOf(servers, 1, 0))).toEqual([
    "events: expected its column metadata of the type JSON(max_dynamic_paths = 512) on each server, found JSON(max_dynamic_paths=16) on 1 of 1",
    "privacy_requests: expected its column isErased of the type Bool on each server, found UInt8 on 1 of 1",
    "links_of_records: expected the view on each server, found Memory on 1 of 1",
  ]);
});

test("tables that are not there, or of another version, are said to be so", async () => {
  const options = newOptions("one server");
  const missing = "daybook verify: the database has no Daybook tables: run `daybook clickhouse migrate`\n";
  expect(await daybookHere(["verify", ...placeArguments(options)])).toEqual({ code: 1, stdout: "", stderr: missing });
  await migrateClickHouse(options);
  const connection = await connectTo(options);
  await connection.insert("kept", [{ name: "tablesVersion", value: "99" }]);
  await connection.close();
  const other = await daybookHere(["verify", ...placeArguments(options)]);
  expect([other.code, other.stderr]).toEqual([1, expect.stringMatching(/its tables have version 99, but this package supports version 6\n$/)]);
});

test("of ids that are there twice ten are named, and the others counted", async () => {
  const { servers, connection } = await stored("one server");
  const ids = Array.from({ length: 12 }, (_, at) => `${ID}${at.toString(16)}`.slice(0, 36));
  for (const ms of [AT, AT + 1]) await connection.insert("events", ids.map((id) => ({ id, name: "seen", project: "default", ms, day: AT / 86_400_000 })));
  const lines = linesOf(await reportOf(servers, 1, 0));
  expect(lines).toHaveLength(11);
  expect(lines.slice(-2)).toEqual([`events: expected ${ids[9]} once, found it 2 times`, "events: expected each id once, found 2 more ids that are stored more than once"]);
});

test("rows that lie on another shard than their ids say are counted", async () => {
  const { options, servers, connection } = await stored("two shards");
  const { database } = options;
  await using daybook = await openClickHouse(options);
  await daybook.ingest(Array.from({ length: 40 }, (_, at) => ({ name: "seen", anonymousId: `visitor ${at}` })));
  expect(linesOf(await reportOf(servers, 2, 0))).toEqual([]);
  // Of the rows of a shard the same under other ids.
  await connection.define(`INSERT INTO ${database}.events_local SELECT * REPLACE (concat(anonymousId, '!') AS anonymousId, generateUUIDv4() AS id) FROM ${database}.events_local`);
  expect(linesOf(await reportOf(servers, 2, 0))).toEqual([expect.stringMatching(/^events: expected each row on the shard of its ids, found rows on another shard: \d+$/)]);
});

test("a file that is damaged, and a part that a server set aside, are named", async () => {
  const directory = await emptyDirectory();
  const { port } = await startServer(directory);
  const options = { ...newOptions("one server"), url: `http://127.0.0.1:${port}` };
  await migrateClickHouse(options);
  await fill(options);
  const connection = await connectTo(options);
  const [[data, part] = ["", ""]] = await connection.systemRows<[string, string]>(
    sql`SELECT path, name FROM system.parts WHERE active AND table = 'events' AND database = ${{ type: "String", value: options.database }} LIMIT 1`);
  const path = join(data, "data.bin");
  await writeFile(path, flipped(await readFile(path), 40, 1));
  await mkdir(join(data, "..", "detached", "broken-on-start_56_9_9_0"));
  const { code, stdout, stderr } = await daybookHere(["verify", ...placeArguments(options)]);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/: \d findings\n$/)]);
  expect(stdout).toMatch(new RegExp(`^events: expected files of the part ${part} that match their checksums, found .*Checksum mismatch for file data\\.bin.*$`, "m"));
  expect(stdout).toMatch(/^events: expected no broken part that a server detached, found 1 with the reason broken-on-start$/m);
  expect(stdout).toContain("events: expected rows that can be read, found ClickHouse refused a statement: CHECKSUM_DOESNT_MATCH (40)\n");
  expect(stdout).toMatch(new RegExp(`^${options.database}: damaged: 3 events of 3 days`, "m"));
  await connection.close();
});

test.each([
  [["--data", "x"], "--clickhouse and --data cannot be combined"],
  [["--organization", "x"], "--clickhouse and --organization cannot be combined"],
  [["--salvage"], "--clickhouse and --salvage cannot be combined"],
])("verify --clickhouse %j is refused", async (args, message) => {
  const { code, stderr } = await daybookHere(["verify", "--clickhouse", "http://127.0.0.1:9", "--database", "d", ...args]);
  expect([code, stderr]).toEqual([2, `daybook verify: ${message} (see daybook verify --help)\n`]);
});
