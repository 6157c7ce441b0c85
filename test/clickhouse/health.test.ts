import { migrateClickHouse, openClickHouse } from "daybook/clickhouse";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { Reach } from "../../src/clickhouse/connection/reach.js";
import { emptyDirectory, startProgram } from "../cli/run.js";
import { CLI } from "../program-names.js";
import { killed, newDatabase, order, orderOf, startServer } from "./kit.js";

afterEach(async () => {
  vi.useRealTimers();
  await order();
});

const OWNER = "sk_clickhouse_owner";

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

test("a question of serve ends when its seconds are over", async () => {
  const server = await startServer(await emptyDirectory());
  const url = `http://127.0.0.1:${server.port}`;
  await migrateClickHouse({ url, database: "shop" });
  const [short, usual] = [await serve(url, "--question-seconds", "1"), await serve(url)];
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
  const reach = new Reach();
  let askedCount = 0;
  let isUp = true;
  const look = () => reach.isThere(() => ((askedCount += 1), Promise.resolve(isUp)));
  reach.told(true);
  expect([await look(), await look(), askedCount]).toEqual([true, true, 0]);
  isUp = false;
  vi.advanceTimersByTime(1_000);
  expect([await look(), await look(), await look(), askedCount]).toEqual([false, false, false, 1]);
  isUp = true;
  vi.advanceTimersByTime(999);
  expect([await look(), askedCount]).toEqual([false, 1]);
  vi.advanceTimersByTime(1);
  expect([await look(), askedCount]).toEqual([true, 2]);
  // What one statement met may be its own: that asks, and decides nothing.
  reach.told(true);
  reach.told(false);
  vi.advanceTimersByTime(999);
  expect([await look(), askedCount]).toEqual([true, 2]);
  vi.advanceTimersByTime(1);
  expect([await look(), askedCount]).toEqual([true, 3]);
});

test("nobody waits longer than a second for what does not come, and is told what was known", async () => {
  vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
  const reach = new Reach();
  let answer: (isThere: boolean) => void = () => undefined;
  const looked = reach.isThere(() => new Promise((resolve) => (answer = resolve)));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await looked).toBe(true);
  const again = reach.isThere(() => Promise.reject(new Error("asked twice at once")));
  answer(false);
  expect(await again).toBe(false);
});
