import { expect, it } from "vitest";
import { fixedClock, memoryStorage, openDaybook } from "daybook";
import type { Daybook, DaybookError, Segment } from "daybook";
import { seededRandom } from "daybook/testing";
import type { DaybookClient } from "daybook/client";
import { arrive } from "../support/random/arrive.js";
import { insightFaults } from "../support/random/insight-faults.js";
import { insightHistory } from "../support/random/insight-history.js";
import { insightQuery, type InsightName } from "../support/random/insight-queries.js";
import { timesOf } from "../support/random/insight-scope.js";
import { daybookOptions } from "../oracle/person-case.js";
import { baseSeed, caseCount, nowMs, sliceOf } from "../oracle/settings.js";
import { clientOver } from "./kit.js";
import { expectSame, outcome } from "./outcomes.js";

const reports = ["trend", "funnel", "retention", "lifecycle", "stickiness", "paths", "sessionsOverview", "webOverview"] as const satisfies readonly InsightName[];
const required: Partial<Record<InsightName, object>> = { funnel: { steps: [{ eventName: "a" }, { eventName: "b" }] } };

it("Through a client an insight has the library's answer, or its error, word by word.", async () => {
  const answered = new Map<string, number>();
  for (let at = 0; at < caseCount(3, 5); at += 1) {
    const random = seededRandom(baseSeed + at);
    const { history, options } = insightHistory(random);
    await using daybook = await openDaybook({ storage: memoryStorage(), ...daybookOptions(options) });
    await arrive(daybook, history);
    const client = clientOver(daybook);
    for (const report of reports)
      for (let asked = 0; asked < 4; asked += 1) {
        const query = insightQuery(report, { random, timesMs: timesOf(history), nowMs: options.nowMs, identityIds: [] });
        const actual = (await expectSame(client, daybook, query)) as { answer?: unknown };
        if (actual.answer !== undefined) answered.set(report, (answered.get(report) ?? 0) + 1);
      }
  }
  for (const report of reports) expect([report, (answered.get(report) ?? 0) > 5]).toEqual([report, true]);
});

it("Through a client an insight is refused as the library refuses it.", async () => {
  await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(nowMs) });
  const client = clientOver(daybook);
  for (const report of reports)
    for (const { members, code } of sliceOf(insightFaults(report), 3)) {
      const actual = await expectSame(client, daybook, { report, input: { ...required[report], ...members } });
      expect(actual).toMatchObject({ code });
    }
});

it("Through a client an insight is explained.", async () => {
  await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(nowMs) });
  for (const report of reports) {
    const input = required[report] ?? {};
    const own: unknown = JSON.parse(JSON.stringify(await daybook.explain(report, input)));
    expect(await clientOver(daybook).explain(report, input)).toEqual(own);
  }
});

/** What came of a call. */
async function tried<T>(call: () => Promise<T>): Promise<unknown> {
  try {
    return { answer: await call() };
  } catch (error) {
    const { code, message, details } = error as DaybookError;
    return { code, message, param: details.param };
  }
}

const condition = (given: object) => ({ groups: [{ conditions: [given] }] }) as Segment;
const buyers = condition({ type: "did", eventName: "order", atLeast: 2, filterGroups: [{ filters: [{ fieldName: "userId", operator: "in", value: ["u1", "at_least"] }] }] });

it("Through a client segments are saved, listed and deleted as in the library, and queries name them.", async () => {
  const open = () => openDaybook({ storage: memoryStorage(), clock: fixedClock(nowMs) });
  await using daybook = await open();
  await using behind = await open();
  const client = clientOver(behind);
  const inSegment = { filterGroups: [{ filters: [{ fieldName: "identity_id", operator: "in_segment", value: "buyers" }] }] };
  const calls: readonly ((asker: Daybook | DaybookClient) => Promise<unknown>)[] = [
    (asker) => asker.segments.list(),
    (asker) => asker.ingest([{ id: "1", name: "order", userId: "u1", createdAt: nowMs - 2 }, { id: "2", name: "order", userId: "u1", createdAt: nowMs - 1 }]),
    (asker) => outcome(asker, { report: "trend", input: inSegment }),
    (asker) => asker.segments.put("buyers", buyers),
    (asker) => asker.segments.put("early", condition({ type: "first_seen", startDate: new Date(nowMs), endDate: undefined })),
    (asker) => asker.segments.list(),
    ...reports.map((report) => (asker: Daybook | DaybookClient) => outcome(asker, { report, input: { ...required[report], ...inSegment } })),
    (asker) => outcome(asker, { report: "countEvents", input: inSegment }),
    (asker) => asker.segments.delete("buyers"),
    (asker) => asker.segments.delete("buyers"),
    (asker) => outcome(asker, { report: "countEvents", input: inSegment }),
    (asker) => asker.segments.list(),
  ];
  const [own, through]: [unknown[], unknown[]] = [[], []];
  for (const call of calls) {
    own.push(await call(daybook));
    through.push(await call(client));
  }
  expect(through).toEqual(own);
  expect(own[6]).toMatchObject({ answer: { series: [{ counted: 2 }] } });
});

it.each<[name: unknown, segment: unknown]>([
  ["", buyers], ["a b", buyers], ["n".repeat(65), buyers], ["../stats", buyers],
  ["a", null], ["a", 5], ["a", {}], ["a", { groups: [] }], ["a", { ...buyers, name: "a" }],
  ["a", condition({ type: "bought" })],
  ["a", condition({ type: "did", atLeast: 0 })],
  ["a", condition({ type: "did", eventName: 5 })],
  ["a", condition({ type: "did", startDate: new Date(Number.NaN) })],
  ["a", condition({ type: "did", startDate: "soon" })],
  ["a", condition({ type: "did", lastDays: 1, startDate: "2026-03-01" })],
  ["a", condition({ type: "trait", field: "plan", operator: "like", value: "filter_groups" })],
  ["a", condition({ type: "trait", field: "plan", operator: "regex", value: "(" })],
])("Through a client a segment is refused as the library refuses it: %j %j", async (name, segment) => {
  await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(nowMs) });
  const [through, own] = (await Promise.all([clientOver(daybook), daybook].map((asker) => tried(() => asker.segments.put(name as string, segment as Segment))))) as { code?: string; param?: string }[];
  expect(own?.code).toBeDefined();
  expect([through?.code, through?.param]).toEqual([own?.code, own?.param]);
  expect(await daybook.segments.list()).toEqual([]);
});
