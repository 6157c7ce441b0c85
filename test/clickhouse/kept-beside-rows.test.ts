import { openClickHouse, type ClickHouseDaybook } from "daybook/clickhouse";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Connection } from "../../src/clickhouse/connection/connection.js";
import { actorRows } from "../../src/clickhouse/query/companies.js";
import { moneyRows } from "../../src/clickhouse/query/payments.js";
import { ofActors } from "../../src/clickhouse/query/identity-context.js";
import { EVENT_COLUMNS } from "../../src/clickhouse/query/event-columns.js";
import { sql, type Sql } from "../../src/clickhouse/sql/sql.js";
import { TableNames } from "../../src/clickhouse/tables/layout.js";
import { reportRules } from "../../src/query/plan/report-rules.js";
import { connectTo, newDatabase } from "./kit.js";

const EVENT_COUNT = 20_000;
let tables: TableNames;
const { revenue } = reportRules({});

let daybook: ClickHouseDaybook;
let connection: Connection;
const close: (() => Promise<void>)[] = [];
beforeAll(async () => {
  const { options, drop } = await newDatabase("one server");
  daybook = await openClickHouse(options);
  connection = await connectTo(options);
  tables = new TableNames(options.database, null);
  close.push(drop, () => connection.close(), () => daybook.close());
  const events = Array.from({ length: EVENT_COUNT }, (_, at) => ({
    id: `e${at}`,
    name: at % 100 === 0 ? "Purchase" : "seen",
    userId: `user-${at % 500}`,
    companyId: at % 500 < 100 ? `company-${at % 5}` : null,
    metadata: at % 100 === 0 ? { amount: 5, order_id: at } : { button: "buy" },
  }));
  expect(await daybook.ingest(events)).toMatchObject({ accepted: EVENT_COUNT });
});
afterAll(async () => {
  for (const each of close.reverse()) await each();
});

/** How a server answers a statement. */
async function planOf(statement: Sql): Promise<string> {
  return (await connection.rows<[string]>(sql`SELECT explain FROM (EXPLAIN PLAN ${statement})`)).map(([line]) => line).join("\n");
}

test("payments are read from those that are kept beside the events", async () => {
  expect(await planOf(sql`SELECT id, money.amount FROM ${moneyRows(revenue, tables).rows}`)).toContain("(money)");
  expect(await connection.rows(sql`SELECT count(), sum(toFloat64(money.amount)) FROM ${moneyRows(revenue, tables).rows}`)).toEqual([[200, 1_000]]);
});

test("who was there with which company is read from what is kept of that", async () => {
  expect(await planOf(sql`SELECT * FROM ${actorRows(tables).rows}`)).toContain("(actors)");
  expect(await connection.rows(sql`SELECT count() FROM ${actorRows(tables).rows}`)).toEqual([[500]]);
});

test("the events of a person are read from rows in order of people", async () => {
  const isOwn = ofActors({ users: ["user-7", "user-8"], anonymous: ["a"] });
  const rows = sql`SELECT ${EVENT_COLUMNS} FROM ${tables.all("events")} WHERE true AND (${isOwn})`;
  expect(await planOf(rows)).toContain("(byPerson)");
  expect(await connection.rows(sql`SELECT count() FROM (${rows})`)).toEqual([[80]]);
});
