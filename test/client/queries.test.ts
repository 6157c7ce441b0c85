import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fixedClock, memoryStorage, openDaybook } from "../../src/index.js";
import type { Daybook } from "../../src/index.js";
import { seededRandom } from "daybook/testing";
import { oracle } from "../support/index.js";
import { arrive } from "../support/random/arrive.js";
import { hostileHistory } from "../support/random/hostile-history.js";
import { personHistory } from "../support/random/person-history.js";
import { aggregateQueries, personQueries } from "../support/random/person-queries.js";
import { randomQuery } from "../support/random/event-queries.js";
import { baseSeed, caseCount, nowMs } from "../oracle/settings.js";
import { clientOver } from "./kit.js";
import { expectSame, outcome } from "./outcomes.js";
import type { Asked } from "./outcomes.js";

describe("law 15: through a client a query has the library's answer, or its error, word by word", () => {
  it("about events, filters, days and pages", async () => {
    let errorCount = 0;
    for (let at = 0; at < caseCount(2); at += 1) {
      const random = seededRandom(baseSeed + at);
      const events = hostileHistory(random, 60);
      const daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(nowMs) });
      await daybook.ingest(events);
      const client = clientOver(daybook);
      const records = oracle(events, { nowMs }).searchEvents();
      for (let asked = 0; asked < 120; asked += 1) {
        const { report, input } = randomQuery(random, records);
        const paged = report === "searchEvents" ? { ...input, limit: random.between(1, 20) } : input;
        const actual = (await expectSame(client, daybook, { report, input: paged })) as { answer?: { cursor: string | null }; code?: string };
        if (actual.code !== undefined) errorCount += 1;
        const cursor = report === "searchEvents" ? (actual.answer?.cursor ?? null) : null;
        if (cursor !== null) await expectSame(client, daybook, { report, input: { ...paged, cursor } });
      }
      await daybook.close();
    }
    expect(errorCount).toBeGreaterThan(0);
  });

  it("about persons, money and companies", async () => {
    const reports = new Set<string>();
    for (let at = 0; at < caseCount(6); at += 1) {
      const random = seededRandom(baseSeed + at);
      const { history } = personHistory(random);
      const daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(nowMs) });
      await arrive(daybook, history);
      const client = clientOver(daybook);
      for (const query of [...personQueries(random, history, []), ...aggregateQueries(random, 4)]) {
        const actual = (await expectSame(client, daybook, query)) as { answer?: unknown };
        if (actual.answer !== undefined) reports.add(query.report);
      }
      await daybook.close();
    }
    expect(reports.size).toBeGreaterThan(9);
  });
});

let daybook: Daybook;
beforeAll(async () => {
  daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(nowMs) });
  await daybook.ingest([{ name: "a", userId: "u1", createdAt: "2026-03-01T00:00:00Z", metadata: { n: 1 } }]);
});
afterAll(() => daybook.close());

describe("a query through a client", () => {
  it("may be explained", async () => {
    const input = { filterGroups: [{ filters: [{ fieldName: "metadata.n", operator: ">", value: 0 }] }] };
    const expected: unknown = JSON.parse(JSON.stringify(await daybook.explain("countEvents", input)));
    expect(await clientOver(daybook).explain("countEvents", input)).toEqual(expected);
  });

  it("may have what JSON would lose, and is refused for it instead of answered to another query", async () => {
    const client = clientOver(daybook);
    const filter = (value: unknown): Asked => ({ report: "countEvents", input: { filterGroups: [{ filters: [{ fieldName: "metadata.n", operator: "in", value }] }] } });
    const place = "filterGroups[0].filters[0].value";
    const wrong: [Asked, string, string | RegExp][] = [
      [filter(Number.NaN), "invalid_filter_value", place],
      [filter(-Infinity), "invalid_filter_value", place],
      [filter(1n), "invalid_parameter", place],
      // The library names the list, the client its item.
      ...[Number.NaN, 1n, new Date(0), () => 1, [Number.NaN]].map((item): [Asked, string, RegExp] => [filter(["a", item]), "invalid_filter_value", /^filterGroups\[0\]\.filters\[0\]\.value(\[1\].*)?$/]),
      [{ report: "searchEvents", input: { limit: Number.NaN } }, "invalid_parameter", "limit"],
      [{ report: "countEvents", input: { startDate: new Date(Number.NaN) } }, "invalid_date", "startDate"],
      [{ report: "countEvents", input: { eventName: () => "a" } }, "invalid_parameter", "eventName"],
      [{ report: "countEvents", input: { filterGroups: [{ filters: [{ fieldName: "metadata.n", operator: "=", value: new Date(0) }] }] } }, "invalid_parameter", "filterGroups[0].filters[0].value"],
      [{ report: "countEvents", input: { filterGroups: new Map() } }, "invalid_parameter", "filterGroups"],
    ];
    for (const [query, code, param] of wrong)
      for (const asker of [client, daybook]) expect(await outcome(asker, query), `${code} ${String(param)}`).toMatchObject({ code, param: typeof param === "string" ? param : (expect.stringMatching(param) as string) });
    for (const input of [5, [], "a", new Date(0)]) await expectSame(client, daybook, { report: "countEvents", input: input as object });
  });

  it("may have dates as Date, and members that are null or undefined", async () => {
    const client = clientOver(daybook);
    for (const startDate of [new Date("2026-03-01T00:00:00Z"), new Date("2026-03-01T00:00:00.001Z"), new Date(-1), new Date(8e15), null, undefined])
      await expectSame(client, daybook, { report: "countEvents", input: { startDate, eventName: undefined } });
    expect(await client.countEvents()).toBe(1);
    await expectSame(client, daybook, { report: "countEvents", input: { eventname: "a" } });
  });
});
