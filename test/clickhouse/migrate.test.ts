import { createClient } from "@clickhouse/client";
import { migrateClickHouse, openClickHouse } from "daybook/clickhouse";
import { describe, expect, test, vi } from "vitest";
import { connect } from "../../src/clickhouse/connect.js";
import { checkClickHouseOptions } from "../../src/clickhouse/options.js";
import { keptOf } from "../../src/clickhouse/tables/migrate.js";
import { databaseStatement, tableStatements } from "../../src/clickhouse/tables/statements.js";
import { runCommandLine } from "../../src/cli/command-line.js";
import { layouts, newOptions } from "./kit.js";

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
    const place = { database: options.database, cluster: options.cluster ?? null };
    const connection = await connect(checkClickHouseOptions(options));
    const isNewer = (statement: string) => /\.(?:segments|privacy_requests|suppressed|time_to_live|removals)/.test(statement);
    const older = tableStatements(place, 0).filter((statement) => !isNewer(statement));
    for (const statement of [databaseStatement(place), ...older]) await connection.define(statement);
    await connection.insert("kept", [{ name: "cursorKey", value: "ab".repeat(32) }, { name: "tablesVersion", value: "1" }]);
    await expect(openClickHouse(options)).rejects.toMatchObject({ code: "manifest_missing" });
    expect(await migrateClickHouse(options)).toMatchObject({ from: 1, to: 4, statements: tableStatements(place, 1) });
    expect(tableStatements(place, 1)).toHaveLength(layout === "one server" ? 5 : 10);
    const { cursorKey, suppressionKey } = await keptOf(connection);
    expect(cursorKey).toEqual(new Uint8Array(32).fill(0xab));
    expect(suppressionKey).toHaveLength(32);
    expect(suppressionKey).not.toEqual(cursorKey);
    await using daybook = await openClickHouse(options);
    expect(await daybook.segments.list()).toEqual([]);
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
