import { ClickHouseLogLevel, createClient } from "@clickhouse/client";
import { fixedClock } from "daybook";
import { migrateClickHouse, openClickHouse, type ClickHouseDaybook } from "daybook/clickhouse";
import { expect, onTestFinished, test } from "vitest";
import { sql, text } from "../../src/clickhouse/sql/sql.js";
import { nowMs } from "../support/random/now.js";
import { emptyDirectory } from "../cli/run.js";
import { connectTo, heldOf, killed, orderOf, startServer, type OwnServer } from "./kit.js";

const events = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => ({ id: `e${from + at}`, name: "seen", userId: `u${(from + at) % 5}`, createdAt: nowMs - from - at }));

const urlOf = ({ port }: OwnServer) => `http://127.0.0.1:${port}`;
const optionsOf = (server: OwnServer) => ({ url: urlOf(server), database: "shop", clock: fixedClock(nowMs) });

async function exported(daybook: ClickHouseDaybook): Promise<number> {
  const ids = new Set<string>();
  for await (const { id } of daybook.exportEvents()) ids.add(id);
  return ids.size;
}

/** A server with tables and the events of a range. */
async function serverWith(directory: string, from: number, to: number): Promise<OwnServer> {
  const server = await startServer(directory);
  await migrateClickHouse(optionsOf(server));
  await using daybook = await openClickHouse(optionsOf(server));
  expect(await daybook.ingest(events(from, to))).toMatchObject({ accepted: to - from });
  return server;
}

const STALLED = "FROM events FORMAT";

/** Makes the events of one server those of both: it reads the other's over the network, as a table over shards does. */
async function joinTo(front: OwnServer, shard: OwnServer): Promise<void> {
  const connection = await connectTo(optionsOf(front));
  onTestFinished(() => connection.close());
  const columns = await connection.rows<[string, string]>(
    sql`SELECT name, type FROM system.columns WHERE database = ${text("shop")} AND table = ${text("events")} ORDER BY position`);
  const names = columns.map(([name]) => name).join(", ");
  const structure = columns.map(([name, type]) => `${name} ${type}`).join(", ").replaceAll("'", "\\'");
  const address = `${urlOf(shard)}/?database=shop&query=${encodeURIComponent(`SELECT ${names} ${STALLED} JSONEachRow`)}`;
  await connection.define("RENAME TABLE shop.events TO shop.events_here");
  await connection.define(`CREATE VIEW shop.events AS SELECT ${names} FROM shop.events_here
    UNION ALL SELECT ${names} FROM url('${address}', 'JSONEachRow', '${structure}')`);
}

test("a shard that is killed while it answers makes every answer an error, and when it is back all is there", async () => {
  const directory = await emptyDirectory();
  const front = await serverWith(await emptyDirectory(), 0, 100);
  let shard = await serverWith(directory, 100, 300);
  await joinTo(front, shard);
  // A server asks another over HTTP ten times, and over its own wire thrice.
  const clickhouse_settings = { http_max_tries: "1" };
  const client = createClient({ url: urlOf(front), database: "shop", clickhouse_settings, log: { level: ClickHouseLogLevel.OFF } });
  await using daybook = await openClickHouse({ database: "shop", client, clock: fixedClock(nowMs) });
  const counted = async () => (await daybook.aggregate({ field: "id", limit: 1_000 })).length;
  const queries = [() => daybook.countEvents(), counted, () => exported(daybook)];
  for (const ask of queries) {
    expect(await ask()).toBe(300);
    await orderOf(urlOf(shard), { kind: "stall", statement: STALLED });
    const asked = ask().catch((error: unknown) => error);
    await expect.poll(() => heldOf(urlOf(shard)), { timeout: 30_000 }).toBe(1);
    await killed(shard);
    expect(await asked).toMatchObject({ code: "unreachable" });
    await expect(ask()).rejects.toMatchObject({ code: "unreachable" });
    shard = await startServer(directory, shard.port);
    expect(await ask()).toBe(300);
  }
});

test("a server that is killed in the middle of an answer breaks it off, and has all when it is back", async () => {
  const directory = await emptyDirectory();
  let server = await serverWith(directory, 0, 200);
  await using daybook = await openClickHouse(optionsOf(server));
  for (const [ask, statement] of [[() => exported(daybook), "ORDER BY day, ms"], [() => daybook.countEvents(), "count()"]] as const) {
    await orderOf(urlOf(server), { kind: "stall", statement });
    const asked = ask().catch((error: unknown) => error);
    await expect.poll(() => heldOf(urlOf(server)), { timeout: 30_000 }).toBe(1);
    await killed(server);
    expect(await asked).toMatchObject({ code: "unreachable" });
    server = await startServer(directory, server.port);
    expect(await ask()).toBe(200);
  }
});

test("a server without room on its disk says so, answers on, and has all once there is room", async () => {
  const directory = await emptyDirectory();
  let server = await serverWith(directory, 0, 50);
  await using daybook = await openClickHouse(optionsOf(server));
  await killed(server);
  server = await startServer(directory, server.port, { isFull: true });
  for (const again of [1, 2]) await expect(daybook.ingest(events(25, 75)), String(again)).rejects.toMatchObject({ code: "storage_full" });
  expect([await daybook.countEvents(), await exported(daybook)]).toEqual([50, 50]);
  await killed(server);
  await startServer(directory, server.port);
  expect(await daybook.countEvents()).toBe(50);
  expect(await daybook.ingest(events(25, 75))).toEqual({ accepted: 25, duplicates: 25, rejected: [], adjusted: [] });
  expect([await daybook.countEvents(), await exported(daybook)]).toEqual([75, 75]);
});
