import { ClickHouseLogLevel, createClient } from "@clickhouse/client";
import { migrateClickHouse, openClickHouse } from "daybook/clickhouse";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { Reachability, type StatementOutcome } from "../../src/clickhouse/connection/reach.js";
import { emptyDirectory, startProgram } from "../cli/run.js";
import { CLI } from "../program-names.js";
import { closeAfter, connectTo, heldCount, killed, newDatabase, order, orderOf, startServer } from "./kit.js";

afterEach(async () => {
  vi.useRealTimers();
  await order();
});

const OWNER = "sk_clickhouse_owner_0123456789";

async function serve(url: string, ...args: readonly string[]) {
  const place = ["--clickhouse", url, "--database", "shop", "--port", "0", "--quiet", "--no-page", ...args];
  const server = startProgram(CLI, ["serve", ...place], { env: { DAYBOOK_TOKEN: OWNER } });
  const [, address = ""] = await server.said(/listening on (\S+)/);
  return async (path: string, body?: string) => {
    const headers = { authorization: `Bearer ${OWNER}`, "content-type": "application/json" };
    const response = await fetch(`${address}${path}`, body === undefined ? { headers } : { method: "POST", headers, body });
    return `${response.status} ${await response.text()}`;
  };
}

/** What the servers are asked, of which the name of the table is bound. */
const SMALL = "SELECT count() FROM {";
const OK = '200 {"status":"ok"}';
const GONE = '503 {"status":"unreachable"}';

test("a server whose ClickHouse is gone says so to who balances the load and to who counts, until it is back", async () => {
  const directory = await emptyDirectory();
  const server = await startServer(directory);
  const url = `http://127.0.0.1:${server.port}`;
  await migrateClickHouse({ url, database: "shop" });
  const ask = await serve(url);
  expect(await ask("/healthz")).toBe(OK);
  expect(await ask("/metrics")).toMatch(/^200 [^]*\ndaybook_up 1\n[^]*\ndaybook_events 0\n/);
  await killed(server);
  await expect.poll(() => ask("/healthz"), { timeout: 5_000 }).toBe(GONE);
  expect(await ask("/metrics")).toMatch(/^200 [^]*\ndaybook_up 0\n(?![^]*daybook_events )/);
  await startServer(directory, server.port);
  await expect.poll(() => ask("/healthz"), { timeout: 5_000 }).toBe(OK);
  expect(await ask("/metrics")).toMatch(/^200 [^]*\ndaybook_up 1\n/);

  // One that takes connections and answers nothing.
  await orderOf(url, { kind: "hold", statement: SMALL, times: 99 });
  const heldMs: number[] = [];
  await expect.poll(async () => {
    const beganMs = performance.now();
    const said = await ask("/healthz");
    heldMs.push(performance.now() - beganMs);
    return said;
  }, { timeout: 20_000 }).toBe(GONE);
  expect(Math.max(...heldMs)).toBeLessThan(3_000);
  await orderOf(url);
  await expect.poll(() => ask("/healthz"), { timeout: 5_000 }).toBe(OK);
});

test("a query of serve ends when its seconds are over", async () => {
  const server = await startServer(await emptyDirectory());
  const url = `http://127.0.0.1:${server.port}`;
  await migrateClickHouse({ url, database: "shop" });
  const [short, usual] = [await serve(url, "--query-seconds", "1"), await serve(url)];
  await orderOf(url, { kind: "slow", statement: "count()", ms: 2_500, times: 2 });
  expect(await short("/analytics/count-events", "{}")).toMatch(/^503 .*"query_timeout"/);
  expect(await usual("/analytics/count-events", "{}")).toBe('200 {"status":"OK","data":0}');
});

test("where a shard has nobody the health is unreachable, and a Daybook that was closed is closed", async () => {
  const { options, drop } = await newDatabase("two shards");
  onTestFinished(drop);
  const daybook = await openClickHouse(options);
  const message = "Code: 279. DB::Exception: All connection tries failed. (ALL_CONNECTION_TRIES_FAILED)";
  expect(await daybook.health()).toBe("ok");
  await order({ kind: "error", statement: SMALL, times: 99, message });
  await expect.poll(() => daybook.health(), { timeout: 5_000 }).toBe("unreachable");
  await order({ kind: "error", statement: SMALL, times: 99, message: "Code: 202. DB::Exception: Too many. (TOO_MANY_SIMULTANEOUS_QUERIES)" });
  await expect.poll(() => daybook.health(), { timeout: 5_000 }).toBe("ok");
  await daybook.close();
  expect(await daybook.health()).toBe("closed");
});

test("the servers are asked at most once a second, and not at all while statements end well", async () => {
  vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
  const reach = new Reachability();
  let askedCount = 0;
  let outcome: StatementOutcome = "answered";
  const look = () => reach.isReachable(() => ((askedCount += 1), Promise.resolve(outcome)));
  reach.record("answered");
  expect([await look(), await look(), askedCount]).toEqual([true, true, 0]);
  outcome = "gone";
  vi.advanceTimersByTime(1_000);
  expect([await look(), await look(), await look(), askedCount]).toEqual([false, false, false, 1]);
  outcome = "answered";
  vi.advanceTimersByTime(999);
  expect([await look(), askedCount]).toEqual([false, 1]);
  vi.advanceTimersByTime(1);
  expect([await look(), askedCount]).toEqual([true, 2]);
  // What one statement met may be its own: that asks, and decides nothing.
  reach.record("answered");
  reach.record("gone");
  vi.advanceTimersByTime(999);
  expect([await look(), askedCount]).toEqual([true, 2]);
  vi.advanceTimersByTime(1);
  expect([await look(), askedCount]).toEqual([true, 3]);
});

/** A reach by a clock that stands, and a look at it that is out until it is answered. */
function looking() {
  vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
  const reach = new Reachability();
  let resolve: (outcome: StatementOutcome) => void = () => undefined;
  const look = () => reach.isReachable(() => new Promise((answered) => (resolve = answered)));
  return { reach, look, answer: (outcome: StatementOutcome) => resolve(outcome) };
}

test("nobody waits longer than a second for what does not come, and is told what was known", async () => {
  const { reach, look, answer } = looking();
  const looked = look();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await looked).toBe(true);
  const again = reach.isReachable(() => Promise.reject(new Error("asked twice at once")));
  answer("gone");
  expect(await again).toBe(false);
});

test("what ends well while a look is out is newer than what the look finds, and who comes then does not wait for it", async () => {
  const { reach, look, answer } = looking();
  const first = look();
  reach.record("answered");
  expect(await look()).toBe(true);
  answer("gone");
  expect(await first).toBe(true);
  expect(await look()).toBe(true);
});

test("where what all queries need is refused, statements that end well change nothing until a look does", async () => {
  const { reach, look, answer } = looking();
  const first = look();
  reach.record("answered");
  answer("refused");
  expect(await first).toBe(false);
  reach.record("answered");
  expect(await look()).toBe(false);
  vi.advanceTimersByTime(1_000);
  const second = look();
  answer("answered");
  expect(await second).toBe(true);
});

test("a quota that is used up and a table that is gone are no health, whatever else is answered", async () => {
  const { options, drop } = await newDatabase("one server");
  const daybook = await openClickHouse(options);
  closeAfter(daybook, drop);
  await order({ kind: "error", statement: "SELECT", times: 999, message: "Code: 201. DB::Exception: Quota exceeded. (QUOTA_EXCEEDED)" });
  await expect(daybook.countEvents()).rejects.toMatchObject({ code: "overloaded" });
  expect(await daybook.health()).toBe("unreachable");
  await order();
  await expect.poll(() => daybook.health(), { timeout: 5_000 }).toBe("ok");
  const connection = await connectTo(options);
  onTestFinished(() => connection.close());
  for (const table of ["events", "links", "records", "segments"]) {
    await connection.define(`RENAME TABLE ${options.database}.${table} TO ${options.database}.elsewhere`);
    await expect.poll(() => daybook.health(), { timeout: 5_000 }).toBe("unreachable");
    expect(await daybook.projects()).toEqual(["default"]);
    expect(await daybook.health(), table).toBe("unreachable");
    await connection.define(`RENAME TABLE ${options.database}.elsewhere TO ${options.database}.${table}`);
    await expect.poll(() => daybook.health(), { timeout: 5_000 }).toBe("ok");
  }
});

/** What the servers are not asked by looks. */
const LONG = "uniq";

/** What health is for some seconds, longer than a look waits. */
async function healthsOf(daybook: { health(): Promise<string> }): Promise<string[]> {
  const seen = new Set<string>();
  const endMs = performance.now() + 7_500;
  while (performance.now() < endMs) {
    seen.add(await daybook.health());
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return [...seen];
}

test("a server with as many long queries as there are sockets is there", async () => {
  const { options, drop } = await newDatabase("one server");
  const daybook = await openClickHouse(options);
  closeAfter(daybook, drop);
  await order({ kind: "hold", statement: LONG, times: 99 });
  const asked = Array.from({ length: 10 }, () => daybook.countUniqueUsers());
  await expect.poll(heldCount).toBe(10);
  expect(await healthsOf(daybook)).toEqual(["ok"]);
  await order();
  expect(await Promise.all(asked)).toEqual(asked.map(() => 0));
});

test("by a client of one's own a look that may wait for a socket says nothing, and one that waits for nothing but the server does", async () => {
  const { options, drop } = await newDatabase("one server");
  const { url, database } = options;
  const client = createClient({ url: url ?? "", database, max_open_connections: 1, log: { level: ClickHouseLogLevel.OFF } });
  const daybook = await openClickHouse({ database, client });
  closeAfter(daybook, drop);
  await order({ kind: "hold", statement: LONG });
  const asked = daybook.countUniqueUsers();
  await expect.poll(heldCount).toBe(1);
  expect(await healthsOf(daybook)).toEqual(["ok"]);
  await order({ kind: "hold", statement: SMALL, times: 99 });
  expect(await asked).toBe(0);
  await expect.poll(() => daybook.health(), { timeout: 20_000 }).toBe("unreachable");
});
