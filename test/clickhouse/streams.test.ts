import { fixedClock, type Daybook } from "daybook";
import { openClickHouse, type ClickHouseDaybook } from "daybook/clickhouse";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { nowMs } from "../support/random/now.js";
import { givenUpCount, newDatabase, order } from "./kit.js";

const steps = [{ eventName: "a" }, { eventName: "b" }];
type Asked = Pick<Daybook, "funnel" | "paths" | "sessionsOverview" | "webOverview">;

const queries: Readonly<Record<string, (of: Asked, signal?: Pick<AbortSignal, "aborted">) => Promise<unknown>>> = {
  "a funnel": (of, signal) => of.funnel({ steps }, signal === undefined ? {} : { signal }),
  "a funnel of sessions": (of, signal) => of.funnel({ steps, level: "session" }, signal === undefined ? {} : { signal }),
  "paths": (of, signal) => of.paths({}, signal === undefined ? {} : { signal }),
  "sessions": (of, signal) => of.sessionsOverview({}, signal === undefined ? {} : { signal }),
  "a web site": (of, signal) => of.webOverview({}, signal === undefined ? {} : { signal }),
};

/** Of the statements about entities in order. */
const IN_ORDER = ["SELECT list", "SELECT startMs, matches", "SELECT counted"];

describe("a query about events in order", () => {
  let daybook: ClickHouseDaybook;
  const close: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    const { options, drop } = await newDatabase("one server", { clock: fixedClock(nowMs) });
    daybook = await openClickHouse(options);
    close.push(drop, () => daybook.close());
    const event = (at: number) => ({ name: at % 2 === 0 ? "a" : "b", userId: `u${at % 5}`, createdAt: nowMs - 1_000 * at });
    await daybook.ingest(Array.from({ length: 40 }, (_, at) => event(at)));
  });
  afterEach(() => order());
  afterAll(async () => {
    for (const each of close.reverse()) await each();
  });

  test.each(Object.entries(queries))("%s that breaks off is an error, and never a part of the answer", async (_name, ask) => {
    await order(...IN_ORDER.map((statement) => ({ kind: "cut", statement }) as const));
    await expect(ask(daybook)).rejects.toMatchObject({ code: "unreachable" });
    expect(JSON.stringify(await ask(daybook))).toContain("def_");
  });

  test.each([
    ["heard", (given: AbortController) => given.signal],
    ["only asked", ({ signal }: AbortController) => ({ get aborted() { return signal.aborted; } })],
  ])("what is given up is given up on the server too, by a signal that is %s", async (_name, signalOf) => {
    const before = await givenUpCount();
    await order(...IN_ORDER.map((statement) => ({ kind: "slow", statement, ms: 2_000 }) as const));
    const given = new AbortController();
    const asked = queries["a funnel"]?.(daybook, signalOf(given));
    setTimeout(() => given.abort(), 200);
    await expect(asked).rejects.toMatchObject({ code: "aborted" });
    await expect.poll(givenUpCount, { timeout: 10_000 }).toBe(before + 1);
  });
});
