import { createClient } from "@clickhouse/client";
import { migrateClickHouse, openClickHouse } from "daybook/clickhouse";
import { describe, expect, test, vi } from "vitest";
import { Connection } from "../../src/clickhouse/connection/connection.js";
import { change } from "../../src/clickhouse/tables/change.js";
import { keptOf } from "../../src/clickhouse/tables/migrate.js";
import { TableNames } from "../../src/clickhouse/tables/names.js";
import { databaseStatement, tableStatements } from "../../src/clickhouse/tables/statements.js";
import { runCommandLine } from "../../src/cli/command-line.js";
import { sql, text } from "../../src/clickhouse/sql/sql.js";
import { connectTo, layouts, newOptions } from "./kit.js";

/** What version 3 keeps beside the rows. */
const PROJECTIONS = ["actors", "byPerson", "payments"];

describe.each(layouts)("the tables on ClickHouse, %s", (layout) => {
  test("are made once, and opened then", async () => {
    const options = newOptions(layout);
    await expect(openClickHouse(options)).rejects.toMatchObject({ code: "manifest_missing" });
    const dry = await migrateClickHouse(options, true);
    await expect(openClickHouse(options)).rejects.toMatchObject({ code: "manifest_missing" });
    expect(await migrateClickHouse(options)).toEqual(dry);
    expect(await migrateClickHouse(options)).toEqual({ from: 4, to: 4, statements: [] });
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
    expect(await migrateClickHouse(options)).toMatchObject({ from: 1, to: 4, statements: tableStatements(place, 1) });
    expect(tableStatements(place, 1)).toHaveLength(layout === "one server" ? 13 : 20);
    const { cursorKey, suppressionKey } = await keptOf(connection);
    expect(cursorKey).toEqual(new Uint8Array(32).fill(0xab));
    expect(suppressionKey).toHaveLength(32);
    expect(suppressionKey).not.toEqual(cursorKey);
    await using daybook = await openClickHouse(options);
    expect(await daybook.segments.list()).toEqual([]);
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

  test("of version 2 get what is kept beside their rows, filled", async () => {
    const options = newOptions(layout);
    await migrateClickHouse(options);
    await using daybook = await openClickHouse(options);
    const paid = { name: "Purchase", userId: "ann", companyId: "acme", value: 5, externalId: "o1" };
    const refund = { name: "Refund", userId: "ann", metadata: { amount: 2 } };
    await daybook.ingest([paid, { ...paid, userId: "bob" }, refund, { name: "seen", anonymousId: "a" }]);
    const asked = async () => [await daybook.ltvCohorts({ project: "default", level: "account" }), await daybook.identityProfile({ userId: "bob" })];
    const before = await asked();
    expect(JSON.stringify(before)).toContain('"revenue":3,');
    const connection = await connectTo(options);
    const tables = layout === "one server" ? ["events"] : ["events_local", "events"];
    const alter = (table: string, what: string) => connection.define(`ALTER TABLE ${options.database}.${table} ${what} SETTINGS mutations_sync = 2`);
    for (const projection of PROJECTIONS) await alter(tables[0] ?? "", `DROP PROJECTION ${projection}`);
    for (const column of ["money", "moneyKind"]) for (const table of tables) await alter(table, `DROP COLUMN ${column}`);
    await alter(layout === "one server" ? "kept" : "kept_local", "DELETE WHERE value = '4'");
    await connection.insert("kept", [{ name: "tablesVersion", value: "2" }]);
    const filled = sql`SELECT DISTINCT name FROM system.projection_parts
      WHERE active AND database = ${text(options.database)} AND name != 'byId' ORDER BY name`;
    expect(await connection.rows(filled)).toEqual([]);
    expect(await migrateClickHouse(options)).toMatchObject({ from: 2, to: 4 });
    expect(await asked()).toEqual(before);
    const isFilling = sql`SELECT 1 FROM system.mutations WHERE database = ${text(options.database)} AND NOT is_done`;
    await vi.waitFor(async () => expect(await connection.rows(isFilling)).toEqual([]), { timeout: 60_000 });
    expect(await connection.rows(filled)).toEqual(PROJECTIONS.map((projection) => [projection]));
    expect(await asked()).toEqual(before);
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
      expect(written.mock.calls.at(-1)).toEqual(["the tables are of version 4: nothing to do\n"]);
    } finally {
      written.mockRestore();
    }
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
});

test("wrong options are refused, and no password is shown", async () => {
  await expect(openClickHouse({ database: "d" })).rejects.toMatchObject({ code: "exactly_one_required" });
  await expect(openClickHouse({ url: "http://x", database: "a`b" })).rejects.toMatchObject({ code: "invalid_parameter" });
  await expect(openClickHouse({ url: "http://me:hidden@x", database: "d" })).rejects.toThrow(/^(?!.*hidden)/);
  await expect(openClickHouse({ url: "http://x", database: "d", passwort: "hidden" } as never)).rejects.toMatchObject({ code: "unknown_parameter" });
});
