import { fixedClock, memoryStorage, openDaybook, type Daybook, type EventInput, type QueryOptions, type Storage } from "daybook";
import { beforeAll, describe, expect, test } from "vitest";
import { useLimits } from "../limits.js";
import { sliceOf } from "../oracle/settings.js";
import { turnsOfOthers } from "../testing/turns-of-others.js";
import { signalOf } from "./counted-signal.js";

// A slice of no length, and turns behind each value: a query looks at its signal wherever it may.
useLimits({ sliceMs: 0, turnValueCount: 1 });

const DAY_MS = 86_400_000;
const DAY_COUNT = 20;
const firstMs = Date.UTC(2026, 0, 1);
const clock = fixedClock(firstMs + DAY_COUNT * DAY_MS);
const all = { startDate: "2026-01-01", endDate: "2026-01-20" };
const steps = [{ eventName: "pageview" }, { eventName: "purchase" }];
const buyers = { groups: [{ conditions: [{ type: "did", eventName: "purchase", atLeast: 2 } as const] }] };
const ofBuyers = { segments: { buyers }, filterGroups: [{ filters: [{ fieldName: "identity_id", operator: "in_segment", value: "buyers" } as const] }] };

const events = Array.from({ length: DAY_COUNT }, (_, day): EventInput[] =>
  ["ann", "bob"].flatMap((userId) => [
    { id: `view ${day} ${userId}`, name: "pageview", createdAt: firstMs + day * DAY_MS, userId, companyId: "acme", url: `/${day}?utm_source=a`, device: "phone" },
    { id: `buys ${day} ${userId}`, name: "purchase", createdAt: firstMs + day * DAY_MS + 1, userId, value: 5, currency: "USD", externalId: `order ${day} ${userId}` },
  ]),
).flat();

type Queries = Readonly<Record<string, (daybook: Daybook, options?: QueryOptions) => Promise<unknown>>>;

const ofRows: Queries = {
  "trend of events": (daybook, options) => daybook.trend({ ...all, breakdown: { fields: ["device"] } }, options),
  "trend of people": (daybook, options) => daybook.trend({ ...all, measure: { type: "unique_users" }, cumulative: true }, options),
  "trend of a sum": (daybook, options) => daybook.trend({ ...all, measure: { type: "sum", field: "value" }, timeZone: "Europe/Berlin" }, options),
  funnel: (daybook, options) => daybook.funnel({ ...all, steps }, options),
  "funnel by day": (daybook, options) => daybook.funnel({ ...all, steps, interval: "day" }, options),
  retention: (daybook, options) => daybook.retention({ ...all, cohort: "recurring" }, options),
  "retention of values": (daybook, options) => daybook.retention({ ...all, breakdown: { fields: ["device"] } }, options),
  lifecycle: (daybook, options) => daybook.lifecycle(all, options),
  stickiness: (daybook, options) => daybook.stickiness(all, options),
  "events of a segment": (daybook, options) => daybook.countEvents({ ...all, ...ofBuyers }, options),
  "trend of a segment": (daybook, options) => daybook.trend({ ...all, ...ofBuyers }, options),
};

/** They wait for tables of all time, which others may wait for too: loading goes on. */
const ofTables: Queries = {
  "trend of sessions": (daybook, options) => daybook.trend({ ...all, measure: { type: "sessions" } }, options),
  "trend of revenue": (daybook, options) => daybook.trend({ ...all, measure: { type: "revenue" } }, options),
  "trend of touches": (daybook, options) => daybook.trend({ ...all, breakdown: { fields: ["first_touch.source"] } }, options),
  "funnel of sessions": (daybook, options) => daybook.funnel({ ...all, steps, level: "session" }, options),
  paths: (daybook, options) => daybook.paths(all, options),
  sessionsOverview: (daybook, options) => daybook.sessionsOverview({ ...all, interval: "day" }, options),
  webOverview: (daybook, options) => daybook.webOverview({ ...all, interval: "day" }, options),
};

const LOOKS_OF_LOADS = 8;

const queries = Object.entries({ ...ofRows, ...ofTables });

let storage: Storage;
beforeAll(async () => {
  storage = Object.assign(memoryStorage(), { volatile: false });
  await using daybook = await openDaybook({ storage, clock });
  await daybook.ingest(events);
  await daybook.seal();
});

/** What came of a query whose signal says stop at a look, and how often that was looked at. */
async function outcomeOf(daybook: Daybook, ask: Queries[string], lookCount: number): Promise<{ readonly outcome: unknown; readonly looks: number }> {
  const signal = signalOf(lookCount);
  const outcome = await ask(daybook, { signal }).then(() => "answered", (error: unknown) => (error as { code?: string }).code);
  return { outcome, looks: signal.looks() };
}

describe("The first insight of its kind, over a segment for each day,", () => {
  const asked = async (ask: Queries[string], lookCount: number) => {
    await using daybook = await openDaybook({ storage, clock, readOnly: true });
    return await outcomeOf(daybook, ask, lookCount);
  };

  test.each(Object.entries(ofRows))("looks at its signal for each, and goes on no further once that says stop: %s", async (_name, ask) => {
    const whole = await asked(ask, Infinity);
    expect(whole.outcome).toBe("answered");
    expect(whole.looks).toBeGreaterThanOrEqual(DAY_COUNT);
    // Loads that are under way look once more; where one takes long, some look again while they wait.
    for (const lookCount of [2, DAY_COUNT / 2, DAY_COUNT, whole.looks - LOOKS_OF_LOADS]) {
      const { outcome, looks } = await asked(ask, lookCount);
      expect([lookCount, outcome, looks - lookCount <= LOOKS_OF_LOADS]).toEqual([lookCount, "aborted", true]);
    }
  });

  test.each(Object.entries(ofTables))("lets others have a turn between them, and ends soon after its signal says stop: %s", async (_name, ask) => {
    const { outcome, looks } = await asked(ask, 2);
    expect([outcome, looks]).toEqual(["aborted", 2]);
    await using daybook = await openDaybook({ storage, clock, readOnly: true });
    // Four are loaded at a time.
    expect(await turnsOfOthers(() => ask(daybook))).toBeGreaterThanOrEqual(DAY_COUNT / 4);
  });
});

test.each(sliceOf(queries, 2))("An insight stops wherever its signal says so, when all of its rows and tables are at hand too, and leaves later ones right: %s", async (_name, ask) => {
  await using daybook = await openDaybook({ storage, clock, readOnly: true });
  const answer = await ask(daybook);
  // What is asked a second time is put together once more.
  await ask(daybook);
  const whole = await outcomeOf(daybook, ask, Infinity);
  expect(whole.outcome).toBe("answered");
  // The first look is that of the check of options.
  for (let lookCount = 2; lookCount <= whole.looks; lookCount += 1) {
    const { outcome, looks } = await outcomeOf(daybook, ask, lookCount);
    expect([lookCount, outcome, looks - lookCount <= 1]).toEqual([lookCount, "aborted", true]);
  }
  expect(await ask(daybook)).toEqual(answer);
});

test.each(["funnel", "funnel by day"])("A second insight, which puts together what the first one kept, stops anywhere, and leaves the next one right: %s", async (name) => {
  const ask = ofRows[name] as Queries[string];
  const second = async (lookCount: number) => {
    await using daybook = await openDaybook({ storage, clock, readOnly: true });
    const answer = await ask(daybook);
    const { outcome, looks } = await outcomeOf(daybook, ask, lookCount);
    expect(await ask(daybook)).toEqual(answer);
    return { outcome, looks };
  };
  const whole = await second(Infinity);
  for (let lookCount = 2; lookCount <= whole.looks; lookCount += 1) expect([lookCount, (await second(lookCount)).outcome]).toEqual([lookCount, "aborted"]);
});

test.each(queries)("An insight is answered within a memory budget of one byte, again and again: %s", async (_name, ask) => {
  await using roomy = await openDaybook({ storage, clock, readOnly: true });
  await using cramped = await openDaybook({ storage, clock, readOnly: true, memoryBudgetBytes: 1 });
  const answer = await ask(roomy);
  for (let time = 0; time < 2; time += 1) expect(await ask(cramped)).toEqual(answer);
  for (const [, other] of queries.slice(0, 3)) await other(cramped);
  expect(await ask(cramped)).toEqual(answer);
});
