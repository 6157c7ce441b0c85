import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { openDaybook, type EventInput } from "daybook";
import { openClickHouse, type ClickHouseOptions } from "daybook/clickhouse";
import { fileStorage } from "daybook/node";
import { describe, expect, onTestFinished, test } from "vitest";
import { LoadedParts } from "../../src/clickhouse/tables/migrate.js";
import { TableNames } from "../../src/clickhouse/tables/layout.js";
import { daybook, emptyDirectory, startProgram } from "../cli/run.js";
import { CLI } from "../program-names.js";
import { connectTo, layouts, newDatabase, order, pathsWith, serverUrl } from "./kit.js";

const DAY_COUNT = 6;
const FIRST_MS = Date.parse("2026-02-01T08:00:00Z");

/** Whom an event is of, and what was paid: people of two projects, some with both ids. */
function eventOf(at: number): EventInput {
  const isOrder = at % 4 === 0;
  return {
    id: `e${at}`, name: isOrder ? "order" : "pageview", createdAt: FIRST_MS + Math.floor(at / 10) * 86_400_000 + at * 1_000,
    ...(at % 3 === 0 ? { project: "zebra-shop" } : {}), ...(at % 5 === 0 ? {} : { userId: `u${at % 7}` }),
    ...(at % 2 === 0 ? { anonymousId: `a${at % 9}` } : {}), ...(isOrder ? { value: at + 0.5, currency: "USD" } : {}), metadata: { at },
  };
}

/** A store of some days, and how many events it has. */
async function newStore(): Promise<{ readonly directory: string; readonly eventCount: number }> {
  const directory = await emptyDirectory();
  const store = await openDaybook({ storage: fileStorage(directory) });
  await store.ingest(Array.from({ length: DAY_COUNT * 10 }, (_, at) => eventOf(at)));
  await store.identify({ userId: "u1", anonymousId: "a3", email: "ann@example.org" });
  await store.alias({ from: "u2", to: "u3" });
  await store.group({ userId: "u1", companyId: "acme" });
  await store.createProject("empty");
  await store.close();
  return { directory, eventCount: DAY_COUNT * 10 };
}

/** Of how many days it is noted that they were loaded. */
async function loadedDays(options: ClickHouseOptions): Promise<number> {
  const connection = await connectTo(options);
  const known = await new LoadedParts(connection, new TableNames(options.database, options.cluster ?? null)).known();
  await connection.close();
  return [...known.keys()].filter((part) => part !== "records").length;
}

async function linesOf(items: AsyncIterable<unknown>): Promise<string[]> {
  const lines: string[] = [];
  for await (const item of items) lines.push(JSON.stringify(item));
  return lines;
}

describe.each(layouts)("daybook clickhouse load, %s", (layout) => {
  test("copies a store whole, goes on where it was ended, and sends a second time only what is new", async () => {
    const { directory, eventCount } = await newStore();
    const { options, drop } = await newDatabase(layout);
    const args = ["clickhouse", "load", "--data", directory, "--url", String(options.url), "--database", options.database,
      ...(options.cluster === undefined ? [] : ["--cluster", options.cluster])];
    const target = await openClickHouse(options);

    // Two days are stored; the third waits.
    await order({ kind: "slow", statement: "INSERT INTO events", ms: 60_000, after: 2 });
    const first = startProgram(CLI, args);
    await expect.poll(() => loadedDays(options), { timeout: 250_000, interval: 500 }).toBe(2);
    expect(await target.countEvents()).toBe(20);
    first.child.kill("SIGKILL");
    await first.finished;
    await order();

    const second = await daybook(args);
    // What takes some seconds says how far it is.
    expect([second.code, second.stderr.replaceAll(/^load: \d+ rows, \d+ per second\n/gm, "")]).toEqual([0, ""]);
    expect(second.stdout).toContain(`${DAY_COUNT - 2} days`);
    expect(second.stdout).toContain("0 records; 2 days loaded before");
    expect(second.stdout).not.toContain("differs");
    expect(second.stdout).toMatch(/default: revenue per cohort +[\d,.]*[1-9][\d,.]* USD/);
    await using store = await openDaybook({ storage: fileStorage(directory) });
    expect(await linesOf(target.exportEvents({ identityIds: true }))).toEqual(await linesOf(store.exportEvents({ identityIds: true })));
    expect(await linesOf(target.exportRecords())).toEqual(await linesOf(store.exportRecords()));

    const third = await daybook(args);
    expect(third.stdout).toContain(`0 days: accepted 0 / duplicates 0, 0 records; ${DAY_COUNT} days loaded before`);
    await store.ingest([{ name: "late", userId: "late", createdAt: "2026-01-01T00:00:00Z", id: "late" }]);
    await store.identify({ userId: "late", anonymousId: "later" });
    await store.close();
    const fourth = await daybook(args);
    expect([fourth.code, fourth.stdout]).toEqual([0, expect.stringMatching(/^1 day: accepted 1 \/ /)]);

    await target.ingest([{ name: "elsewhere", userId: "somebody" }]);
    const fifth = await daybook([...args, "--again"]);
    expect([fifth.code, fifth.stderr]).toEqual([1, expect.stringContaining("answers differ")]);
    expect(fifth.stdout).toMatch(/people .* differs/);
    expect(fifth.stdout).toContain(`accepted 0 / duplicates ${eventCount + 1}`);
    await target.close();
    await drop();
  });
});

test("A day that lost as many events as it got is sent again; what went stays there, and is told as a difference.", async () => {
  const { directory } = await newStore();
  const { options, drop } = await newDatabase("one server");
  const args = ["clickhouse", "load", "--data", directory, "--url", String(options.url), "--database", options.database];
  expect((await daybook(args)).code).toBe(0);
  const store = await openDaybook({ storage: fileStorage(directory) });
  await store.deleteEvents({ before: new Date(FIRST_MS + 1) });
  await store.ingest([{ ...eventOf(0), id: "instead" }]);
  await store.close();
  const again = await daybook(args);
  expect([again.code, again.stdout]).toEqual([1, expect.stringMatching(/^1 day: accepted 1 \/ duplicates 9/)]);
  const target = await openClickHouse(options);
  expect(await target.countEvents()).toBe(DAY_COUNT * 10 + 1);
  await target.close();
  await drop();
});

test("What a store holds of the future, and of the years before 1973, is there at its own time.", async () => {
  const directory = await emptyDirectory();
  const store = await openDaybook({ storage: fileStorage(directory), futureEvents: "keep" });
  const times = ["1970-01-01T00:00:00.000Z", "2026-02-01T08:00:00.000Z", "9999-12-31T23:59:59.999Z"];
  await store.ingest(times.map((createdAt) => ({ name: "visit", userId: "ann", createdAt })));
  await store.identify({ userId: "ann", email: "ann@example.org", createdAt: "9999-01-01T00:00:00Z" });
  await store.close();
  const { options, drop } = await newDatabase("one server");
  const { code, stdout } = await daybook(["clickhouse", "load", "--data", directory, "--url", String(options.url), "--database", options.database]);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^3 days: accepted 3 \/ duplicates 0, 1 record; /)]);
  await using target = await openClickHouse(options);
  expect((await target.searchEvents()).events.map(({ createdAt }) => createdAt)).toEqual(times.toReversed());
  expect((await linesOf(target.exportRecords())).join()).toContain("9999-01-01T00:00:00.000Z");
  await target.close();
  await drop();
});

test("Several load days of their own at once, and the last run compares; a project that is deleted leaves no name behind.", async () => {
  const { directory, eventCount } = await newStore();
  const { options, drop } = await newDatabase("one server");
  const args = ["clickhouse", "load", "--data", directory, "--url", String(options.url), "--database", options.database];
  const parts = [["--to", "2026-02-02"], ["--from", "2026-02-03", "--to", "2026-02-04"], ["--from", "2026-02-05"]];
  const done = await Promise.all(parts.map((days) => daybook([...args, ...days])));
  for (const { code, stdout } of done) expect([code, stdout]).toEqual([0, expect.stringMatching(/^2 days: accepted 20 \/ .* 0 days loaded before [^\n]*\n$/)]);
  const last = await daybook(args);
  expect([last.code, last.stdout]).toEqual([0, expect.stringContaining(`0 days: accepted 0 / duplicates 0, 0 records; ${DAY_COUNT} days loaded before`)]);
  expect(last.stdout).toMatch(/people /);
  await using target = await openClickHouse(options);
  expect(await target.countEvents()).toBe(eventCount);
  expect(await pathsWith("zebra")).not.toEqual([]);
  await target.deleteProject("zebra-shop");
  expect(await pathsWith("zebra")).toEqual([]);
  await drop();
});

/** A server before that of the tests, which notes what time each statement has, in s. */
async function timed(): Promise<{ readonly url: string; readonly seconds: Map<string, Set<string>> }> {
  const seconds = new Map<string, Set<string>>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const address = new URL(request.url ?? "/", serverUrl());
    const bound = address.searchParams.get("max_execution_time") ?? "";
    const kind = /INSERT INTO|SELECT/.exec(`${address.search} ${body.toString()}`.replaceAll("+", " "))?.[0] ?? "";
    seconds.set(bound, (seconds.get(bound) ?? new Set()).add(kind));
    const type = { "content-type": request.headers["content-type"] ?? "text/plain" };
    const answer = await fetch(address, { method: "POST", body, headers: type });
    response.writeHead(answer.status, { "x-clickhouse-exception-tag": answer.headers.get("x-clickhouse-exception-tag") ?? "" });
    response.end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seconds };
}

test("What is loaded has the time of a statement, and only what is compared has a day.", async () => {
  const { directory } = await newStore();
  const { options, drop } = await newDatabase("one server");
  const { url, seconds } = await timed();
  const args = ["clickhouse", "load", "--data", directory, "--url", url, "--database", options.database];
  expect((await daybook([...args, "--to", "2026-02-05"])).code).toBe(0);
  expect([...seconds.keys()]).toEqual(["300"]);
  seconds.clear();
  expect((await daybook(args)).code).toBe(0);
  expect(Object.fromEntries(seconds)).toEqual({ 300: new Set(["SELECT", "INSERT INTO"]), 86_400: new Set(["SELECT"]) });
  await drop();
});

test.each([
  [["clickhouse", "load", "--url", "http://127.0.0.1:9", "--database", "d"], "--data is required"],
  [["clickhouse", "load", "--dry-run", "--data", "x"], "--dry-run does not apply to load"],
  [["clickhouse", "migrate", "--again"], "--again does not apply to migrate"],
  [["clickhouse", "load", "--data", "x", "--from", "yesterday"], "--from: expected YYYY-MM-DD, got \"yesterday\""],
  [["clickhouse", "load", "--data", "x", "--from", "2026-02-02", "--to", "2026-02-01"], "--from 2026-02-02 is later than --to 2026-02-01"],
])("%j is refused", async (args, message) => {
  const { code, stderr } = await daybook(args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});
