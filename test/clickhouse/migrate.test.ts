import { createClient } from "@clickhouse/client";
import { migrateClickHouse, openClickHouse, type ClickHouseOptions } from "daybook/clickhouse";
import { describe, expect, test, vi } from "vitest";
import { Connection } from "../../src/clickhouse/connection/connection.js";
import { change } from "../../src/clickhouse/tables/change.js";
import { keptOf } from "../../src/clickhouse/tables/migrate.js";
import { TableNames } from "../../src/clickhouse/tables/names.js";
import { databaseStatement, tableStatements } from "../../src/clickhouse/tables/statements.js";
import { verifyClickHouse } from "../../src/clickhouse/verify-clickhouse.js";
import { runCommandLine } from "../../src/cli/command-line.js";
import { sql, text } from "../../src/clickhouse/sql/sql.js";
import { connectTo, layouts, newOptions, questionLayouts } from "./kit.js";

const findingsOf = async (options: ClickHouseOptions) => (await verifyClickHouse(options)).findings;

/** What is kept beside the rows. */
const PROJECTIONS = ["actors", "byPerson", "money"];

describe.each(layouts)("the tables on ClickHouse, %s", (layout) => {
  test("are made once, and opened then", async () => {
    const options = newOptions(layout);
    await expect(openClickHouse(options)).rejects.toMatchObject({ code: "manifest_missing" });
    const dry = await migrateClickHouse(options, true);
    await expect(openClickHouse(options)).rejects.toMatchObject({ code: "manifest_missing" });
    expect(await migrateClickHouse(options)).toEqual(dry);
    expect(await migrateClickHouse(options)).toEqual({ from: 5, to: 5, statements: [] });
    await using daybook = await openClickHouse(options);
    expect(await daybook.countEvents()).toBe(0);
  });

  test("of an older version get what they have not, and keep what they hold", async () => {
    const options = newOptions(layout);
    const place = { database: options.database, cluster: options.cluster ?? null, isReplicated: layout === "two replicas" };
    const connection = await connectTo(options);
    const isNewer = (statement: string) => /\.(?:segments|privacy_requests|suppressed|time_to_live|removals)/.test(statement);
    const older = tableStatements(place, 0).filter((statement) => !isNewer(statement));
    for (const statement of [databaseStatement(place), ...older]) await connection.define(statement);
    const replicated = place.isReplicated ? [{ name: "replicated", value: "1" }] : [];
    await connection.insert("kept", [...replicated, { name: "cursorKey", value: "ab".repeat(32) }, { name: "tablesVersion", value: "1" }]);
    await expect(openClickHouse(options)).rejects.toMatchObject({ code: "manifest_missing" });
    expect(await migrateClickHouse(options)).toMatchObject({ from: 1, to: 5, statements: tableStatements(place, 1) });
    expect(tableStatements(place, 1)).toHaveLength(layout === "one server" ? 18 : 26);
    const { cursorKey, suppressionKey } = await keptOf(connection);
    expect(cursorKey).toEqual(new Uint8Array(32).fill(0xab));
    expect(suppressionKey).toHaveLength(32);
    expect(suppressionKey).not.toEqual(cursorKey);
    await using daybook = await openClickHouse(options);
    expect(await daybook.segments.list()).toEqual([]);
    expect(await findingsOf(options)).toEqual([]);
    await connection.close();
  });

  test("are not made among those of others", async () => {
    const others: [string, string, RegExp][] = [
      ["projects (name String, owner String) ENGINE = MergeTree ORDER BY name", "projects", /projects(_local)? with the columns name, owner/],
      ["segments (name String, groups String, version UInt64) ENGINE = MergeTree ORDER BY name", "segments", /segments(_local)? with rows/],
      ["kept (name String) ENGINE = MergeTree ORDER BY name", "kept", /kept(_local)? with the columns name:/],
    ];
    for (const [definition, table, message] of others) {
      const options = newOptions(layout);
      const connection = await connectTo(options);
      const name = layout === "one server" ? table : `${table}_local`;
      await connection.define(`CREATE DATABASE ${options.database}`);
      await connection.define(`CREATE TABLE ${options.database}.${definition.replace(table, name)}`);
      await connection.insert(name, [{ name: "tests" }]);
      const refused = { code: "invalid_parameter", message: expect.stringMatching(message) as string };
      const tables = sql`SELECT name FROM system.tables WHERE database = ${text(options.database)}`;
      for (const isDryRun of [true, false]) await expect(migrateClickHouse(options, isDryRun)).rejects.toMatchObject(refused);
      expect(await connection.rows(tables)).toEqual([[name]]);
      await connection.close();
    }
  });

  test("are not made beside a table of others under the name of a view", async () => {
    const options = newOptions(layout);
    const connection = await connectTo(options);
    await connection.define(`CREATE DATABASE ${options.database}`);
    await connection.define(`CREATE TABLE ${options.database}.links_of_events (mine String) ENGINE = MergeTree ORDER BY mine`);
    const message = expect.stringContaining("has a table links_of_events in place of a materialized view") as string;
    for (const isDryRun of [true, false])
      await expect(migrateClickHouse(options, isDryRun)).rejects.toMatchObject({ code: "invalid_parameter", message });
    await connection.close();
  });

  test("are not opened without their keys, and of what is kept the version is stored last", async () => {
    const options = newOptions(layout);
    const insert = vi.spyOn(Connection.prototype, "insert");
    await migrateClickHouse(options);
    const stored = insert.mock.calls.map(([, rows]) => rows.map((row) => (row as { readonly name: string }).name));
    insert.mockRestore();
    expect(stored).toEqual([["cursorKey", "suppressionKey", ...(layout === "two replicas" ? ["replicated"] : [])], ["tablesVersion"]]);
    const connection = await connectTo(options);
    const place = { connection, names: new TableNames(layout !== "one server"), database: options.database, cluster: options.cluster ?? null };
    await change(place, "kept", sql`DELETE WHERE name = 'suppressionKey'`);
    await connection.close();
    await expect(openClickHouse(options)).rejects.toMatchObject({ code: "manifest_missing", message: expect.stringContaining("suppressionKey") as string });
  });

  /** Version 4 keeps payments without the ids of refunds. */
  const payments = ["ADD PROJECTION payments (SELECT moneyKind, slug, money GROUP BY moneyKind, slug, money)", "MATERIALIZE PROJECTION payments"];
  test.each([
    [2, PROJECTIONS, ["refundId", "money", "moneyKind"], []],
    [4, ["money"], ["refundId"], payments],
  ] as const)("of version %i get what is kept beside their rows, filled", async (version, projections, columns, changes) => {
    const options = newOptions(layout);
    await migrateClickHouse(options);
    await using daybook = await openClickHouse(options);
    const paid = { name: "Purchase", userId: "ann", companyId: "acme", value: 5, externalId: "o1" };
    const refund = { name: "Refund", userId: "ann", externalId: "o1", metadata: { amount: 1, refund_id: "r1" } };
    await daybook.ingest([paid, { ...paid, userId: "bob" }, refund, refund, { ...refund, metadata: { amount: 1, refund_id: 2 } }, { name: "seen", anonymousId: "a" }]);
    const asked = async () => [await daybook.ltvCohorts({ project: "default", level: "account" }), await daybook.identityProfile({ userId: "bob" })];
    const before = await asked();
    expect(JSON.stringify(before)).toContain('"revenue":3,');
    const connection = await connectTo(options);
    const tables = layout === "one server" ? ["events"] : ["events_local", "events"];
    const alter = (table: string, what: string) => connection.define(`ALTER TABLE ${options.database}.${table} ${what} SETTINGS mutations_sync = 2`);
    for (const projection of projections) await alter(tables[0] ?? "", `DROP PROJECTION ${projection}`);
    for (const column of columns) for (const table of tables) await alter(table, `DROP COLUMN ${column}`);
    for (const what of changes) await alter(tables[0] ?? "", what);
    await alter(layout === "one server" ? "kept" : "kept_local", "DELETE WHERE value = '5'");
    await connection.insert("kept", [{ name: "tablesVersion", value: String(version) }]);
    const filled = sql`SELECT DISTINCT name FROM system.projection_parts
      WHERE active AND database = ${text(options.database)} AND name != 'byKey' ORDER BY name`;
    const left = PROJECTIONS.filter((projection) => !projections.some((dropped) => dropped === projection));
    expect(await connection.rows(filled)).toEqual([...left, ...(version === 4 ? ["payments"] : [])].map((projection) => [projection]));
    expect(await migrateClickHouse(options)).toMatchObject({ from: version, to: 5 });
    expect(await asked()).toEqual(before);
    const isFilling = sql`SELECT 1 FROM system.mutations WHERE database = ${text(options.database)} AND NOT is_done`;
    await vi.waitFor(async () => expect(await connection.rows(isFilling)).toEqual([]), { timeout: 60_000 });
    expect(await connection.rows(filled)).toEqual(PROJECTIONS.map((projection) => [projection]));
    expect(await asked()).toEqual(before);
    expect(await findingsOf(options)).toEqual([]);
    await connection.close();
  });

  test("are printed by the command", async () => {
    const { url = "", database, cluster } = newOptions(layout);
    const args = ["clickhouse", "migrate", "--url", String(url), "--database", database, ...(cluster === undefined ? [] : ["--cluster", cluster])];
    const written = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    try {
      await runCommandLine([...args, "--dry-run"]);
      expect(written.mock.calls.join("")).toContain(`CREATE TABLE IF NOT EXISTS ${database}.events`);
      await runCommandLine(args);
      await runCommandLine(args);
      expect(written.mock.calls.at(-1)).toEqual(["the tables are of version 5: nothing to do\n"]);
    } finally {
      written.mockRestore();
    }
  });
});

describe.each(questionLayouts)("the tables on ClickHouse, %s", (layout) => {
  test("are made by a migration behind one that broke off", async () => {
    const options = newOptions(layout);
    const place = { database: options.database, cluster: options.cluster ?? null, isReplicated: false };
    const connection = await connectTo(options);
    for (const statement of [databaseStatement(place), ...tableStatements(place, 0)]) await connection.define(statement);
    await connection.insert("kept", [{ name: "cursorKey", value: "ab".repeat(32) }]);
    await connection.close();
    expect(await migrateClickHouse(options)).toMatchObject({ from: 0, to: 5 });
    await using daybook = await openClickHouse(options);
    expect(await daybook.countEvents()).toBe(0);
  });
});

test("what is not there says so", async () => {
  const options = newOptions("one server");
  await migrateClickHouse(options);
  await using daybook = await openClickHouse(options);
  await expect(daybook.webOverview({ asOf: 1 })).rejects.toMatchObject({ code: "not_supported" });
});

test("a client of the application's own will do", async () => {
  const { url = "", database } = newOptions("one server");
  await migrateClickHouse({ url, database });
  await using daybook = await openClickHouse({ client: createClient({ url, database }), database });
  await daybook.ingest([{ name: "seen" }]);
  expect(await daybook.countEvents()).toBe(1);
  const other = newOptions("one server").database;
  const refused = { code: "invalid_parameter", message: expect.stringContaining(`expected one that was made for the database ${other}`) as string };
  for (const wrong of [migrateClickHouse, openClickHouse])
    await expect(wrong({ client: createClient({ url, database }), database: other })).rejects.toMatchObject(refused);
});

test("wrong options are refused, and no password is shown", async () => {
  await expect(openClickHouse({ database: "d" })).rejects.toMatchObject({ code: "exactly_one_required" });
  await expect(openClickHouse({ url: "http://x", database: "a`b" })).rejects.toMatchObject({ code: "invalid_parameter" });
  await expect(openClickHouse({ url: "http://me:hidden@x", database: "d" })).rejects.toThrow(/^(?!.*hidden)/);
  await expect(openClickHouse({ url: "http://x", database: "d", passwort: "hidden" } as never)).rejects.toMatchObject({ code: "unknown_parameter" });
});
