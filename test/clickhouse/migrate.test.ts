import { createClient } from "@clickhouse/client";
import { migrateClickHouse, openClickHouse } from "daybook/clickhouse";
import { describe, expect, test, vi } from "vitest";
import { Connection } from "../../src/clickhouse/connection/connection.js";
import { change } from "../../src/clickhouse/tables/servers.js";
import { TableNames } from "../../src/clickhouse/tables/layout.js";
import { tableStatements } from "../../src/clickhouse/tables/migrate.js";
import { verifyClickHouse } from "../../src/clickhouse/open-clickhouse.js";
import { runCommandLine } from "../../src/cli/command-line.js";
import { sql, text } from "../../src/clickhouse/sql/sql.js";
import { connectTo, layouts, newOptions, queryLayouts } from "./kit.js";

describe.each(layouts)("the tables on ClickHouse, %s", (layout) => {
  test("are made once, and opened then", async () => {
    const options = newOptions(layout);
    await expect(openClickHouse(options)).rejects.toMatchObject({ code: "manifest_missing" });
    const dry = await migrateClickHouse(options, true);
    await expect(openClickHouse(options)).rejects.toMatchObject({ code: "manifest_missing" });
    expect(await migrateClickHouse(options)).toEqual(dry);
    expect(await migrateClickHouse(options)).toEqual({ version: 6, statements: [] });
    await using daybook = await openClickHouse(options);
    expect(await daybook.countEvents()).toBe(0);
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
    expect(stored).toEqual([["cursorKey", "suppressionKey", "signingKey", ...(layout === "two replicas" ? ["replicated"] : [])], ["tablesVersion"]]);
    const connection = await connectTo(options);
    const place = { connection, names: new TableNames(options.database, options.cluster ?? null), database: options.database, cluster: options.cluster ?? null };
    await change(place, "kept", sql`DELETE WHERE name = 'suppressionKey'`);
    await connection.close();
    await expect(openClickHouse(options)).rejects.toMatchObject({ code: "manifest_missing", message: expect.stringContaining("suppressionKey") as string });
  });

  test("of another version are refused, and left as they are", async () => {
    const options = newOptions(layout);
    await migrateClickHouse(options);
    const connection = await connectTo(options);
    const place = { connection, names: new TableNames(options.database, options.cluster ?? null), database: options.database, cluster: options.cluster ?? null };
    const columns = sql`SELECT table, name, type FROM system.columns WHERE database = ${text(options.database)} ORDER BY table, name`;
    const before = await connection.rows(columns);
    for (const version of [5, 0]) {
      await change(place, "kept", sql`DELETE WHERE name = 'tablesVersion'`);
      await connection.insert("kept", [{ name: "tablesVersion", value: String(version) }]);
      const refused = { code: "invalid_parameter", message: `database: its tables have version ${version}, but this package supports version 6` };
      for (const isDryRun of [true, false]) await expect(migrateClickHouse(options, isDryRun)).rejects.toMatchObject(refused);
      await expect(openClickHouse(options)).rejects.toMatchObject(refused);
    }
    expect(await connection.rows(columns)).toEqual(before);
    await connection.close();
  });

  test("are made by several at once", async () => {
    const options = newOptions(layout);
    const made = await Promise.all([1, 2, 3].map(() => migrateClickHouse(options)));
    for (const { version } of made) expect(version).toBe(6);
    await using daybook = await openClickHouse(options);
    expect(await daybook.ingest([{ name: "seen", userId: "ann" }])).toMatchObject({ accepted: 1 });
    expect(await verifyClickHouse(options)).toMatchObject({ findings: [] });
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
      expect(written.mock.calls.at(-1)).toEqual(["the tables already have version 6: nothing to do\n"]);
    } finally {
      written.mockRestore();
    }
  });
});

describe.each(queryLayouts)("the tables on ClickHouse, %s", (layout) => {
  test("are made by a migration behind one that broke off", async () => {
    const options = newOptions(layout);
    const place = { database: options.database, cluster: options.cluster ?? null, isReplicated: false };
    const connection = await connectTo(options);
    for (const statement of tableStatements(place)) await connection.define(statement);
    await connection.insert("kept", [{ name: "cursorKey", value: "ab".repeat(32) }]);
    await connection.close();
    expect(await migrateClickHouse(options)).toEqual({ version: 6, statements: tableStatements(place) });
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
  const refused = { code: "invalid_parameter", message: expect.stringContaining(`expected a client for the database ${other}`) as string };
  for (const wrong of [migrateClickHouse, openClickHouse])
    await expect(wrong({ client: createClient({ url, database }), database: other })).rejects.toMatchObject(refused);
});

test("wrong options are refused, and no password is shown", async () => {
  await expect(openClickHouse({ database: "d" })).rejects.toMatchObject({ code: "exactly_one_required" });
  await expect(openClickHouse({ url: "http://x", database: "a`b" })).rejects.toMatchObject({ code: "invalid_parameter" });
  await expect(openClickHouse({ url: "http://me:hidden@x", database: "d" })).rejects.toThrow(/^(?!.*hidden)/);
  await expect(openClickHouse({ url: "http://x", database: "d", passwort: "hidden" } as never)).rejects.toMatchObject({ code: "unknown_parameter" });
});
