import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fixedClock, memoryStorage, openDaybook, type Daybook } from "daybook";
import { seededRandom } from "daybook/testing";
import { arrive } from "../../support/random/arrive.js";
import { insightFaults } from "../../support/random/insight-faults.js";
import { insightHistory } from "../../support/random/insight-history.js";
import { insightQuery, type InsightName } from "../../support/random/insight-queries.js";
import { timesOf } from "../../support/random/insight-scope.js";
import { insightAnswers } from "../../../src/http/shapes/insights.js";
import type { Handler } from "../../../src/http/index.js";
import { daybookOptions } from "../../oracle/person-case.js";
import { baseSeed, caseCount, nowMs, sliceOf } from "../../oracle/settings.js";
import { codeOf, handlerOf, NOW_MS, send, stubDaybook } from "../kit.js";
import { wireInput, wireName, wireText } from "../wire-names.js";

const PLACES: Readonly<Record<InsightName, string>> = {
  trend: "trend", funnel: "funnel", retention: "retention", lifecycle: "lifecycle", stickiness: "stickiness", paths: "paths", sessionsOverview: "sessions", webOverview: "web",
};
const reports = Object.keys(PLACES) as InsightName[];
const pathOf = (report: InsightName, project = "shop") => `/v1/projects/${project}/insights/${PLACES[report]}`;
const required: Partial<Record<InsightName, object>> = { funnel: { steps: [{ eventName: "a" }, { eventName: "b" }] } };

/** What a query came to: the text of its answer, or how it was refused. */
type Outcome = { readonly text: string } | { readonly code: unknown; readonly param: unknown };

async function ownOutcome(daybook: Daybook, report: InsightName, input: object): Promise<Outcome> {
  try {
    return { text: wireText(await daybook[report](input as never)) };
  } catch (error) {
    const { code, details } = error as { code: string; details: { param?: string } };
    return { code, param: wireName(details.param ?? "") };
  }
}

async function sentOutcome(handler: Handler, path: string, input: object): Promise<Outcome> {
  const sent = await send(handler, path, { body: wireInput(input) });
  return sent.status === 200 ? { text: sent.text } : { code: codeOf(sent), param: sent.json["param"] };
}

describe.each(reports)("%s over a real Daybook", (report) => {
  it("answers what the library answers, byte for byte, in the shape that is described", async () => {
    let answerCount = 0;
    const historyCount = caseCount(3, 5);
    for (let at = 0; at < historyCount; at += 1) {
      const random = seededRandom(baseSeed + at);
      const { history, options } = insightHistory(random);
      await using daybook = await openDaybook({ storage: memoryStorage(), ...daybookOptions(options) });
      await arrive(daybook, history);
      await daybook.ingest([{ name: "a", project: "shop", createdAt: options.nowMs }]);
      const handler = handlerOf(daybook);
      for (let asked = 0; asked < 6; asked += 1) {
        const { project, ...input } = insightQuery(report, { random, timesMs: timesOf(history), nowMs: options.nowMs, identityIds: [] }).input;
        const asOf = random.chance(0.4) ? { asOf: random.pick<number | "latest">(["latest", 0, 5, 1_000_000]) } : {};
        const inProject = daybook.projects().includes(project ?? "") ? (project ?? "") : "shop";
        const owed = await ownOutcome(daybook, report, { ...input, ...asOf, project: inProject });
        expect(await sentOutcome(handler, pathOf(report, inProject), { ...input, ...asOf })).toEqual(owed);
        if (!("text" in owed)) continue;
        answerCount += 1;
        expect(insightAnswers[report].safeParse(JSON.parse(owed.text)).error).toBeUndefined();
      }
    }
    expect(answerCount).toBeGreaterThan(3 * historyCount);
  });

  it("refuses what is wrong with a query as the library does, in the names of the wire", async () => {
    await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(nowMs) });
    await daybook.ingest([{ name: "a", project: "shop", createdAt: nowMs }]);
    const handler = handlerOf(daybook);
    const differences: string[] = [];
    // The path has the project, and a name in the words of the wire is one that it knows.
    const faults = insightFaults(report).filter(({ members }) => !("project" in members || "event_name" in members));
    expect(faults.length).toBeGreaterThan(80);
    for (const { members, code, param } of sliceOf(faults, 3)) {
      const sent = await send(handler, pathOf(report), { body: wireInput({ ...required[report], ...members }) });
      const isProblem = sent.status === 400 && sent.headers.get("content-type") === "application/problem+json" && sent.json["status"] === 400;
      const isRight = isProblem && codeOf(sent) === code && (param === null || sent.json["param"] === wireName(param));
      if (!isRight) differences.push(`${JSON.stringify(members).slice(0, 200)}: expected ${code} of ${param ?? "anything"}, got ${sent.text.slice(0, 300)}`);
    }
    expect(differences).toEqual([]);
  });

  it("takes no project, no user, no name of the library, and nothing in the query", async () => {
    const handler = handlerOf(stubDaybook());
    const body = wireInput(required[report] ?? {}) as object;
    for (const [name, value] of Object.entries({ project: "shop", user_id: "u1", userId: "u1", eventName: "a", startDate: "2026-03-01" })) {
      const sent = await send(handler, pathOf(report), { body: { ...body, [name]: value } });
      expect([sent.status, codeOf(sent), sent.json["param"]]).toEqual([400, "unknown_parameter", name]);
    }
    const sent = await send(handler, `${pathOf(report)}?limit=5`, { body });
    expect([sent.status, codeOf(sent), sent.json["param"]]).toEqual([400, "unknown_parameter", "limit"]);
  });

  it("takes null for what is absent, and says nothing of a project that is unknown or another's", async () => {
    const daybook = stubDaybook();
    const handler = handlerOf(daybook);
    const body = wireInput(required[report] ?? {}) as object;
    const absent = { event_name: null, filter_groups: null, start_date: null, end_date: null, time_zone: null, week_start: null, segments: null, as_of: null, project: null };
    expect((await send(handler, pathOf(report), { body: { ...body, ...absent } })).status).toBe(200);
    expect(daybook.asked).toMatchObject([{ method: report, input: { project: "shop" } }]);
    const texts = new Set<string>();
    for (const [token, project] of [["sk_owner_0123456789abcdefgh", "unknown"], ["sk_owner_0123456789abcdefgh", "elsewhere"], ["sk_other_0123456789abcdefgh", "shop"], ["sk_shop_0123456789abcdefgh", "site"]] as const) {
      const sent = await send(handler, pathOf(report, project), { token, body });
      expect([sent.status, codeOf(sent)]).toEqual([404, "project_not_found"]);
      texts.add(sent.text);
    }
    expect(texts.size).toBe(1);
  });
});

describe("an insight", () => {
  let daybook: Daybook;
  let handler: Handler;
  beforeAll(async () => {
    daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW_MS) });
    await daybook.ingest([{ name: "a", userId: "u1", project: "shop", createdAt: NOW_MS - 1_000 }]);
    handler = handlerOf(daybook);
  });
  afterAll(() => daybook.close());

  it("has an entity tag that holds until something changes its answer, whoever writes besides", async () => {
    const ask = (etag?: string) => send(handler, pathOf("trend"), { body: { event_name: "a" }, ...(etag === undefined ? {} : { headers: { "if-none-match": etag } }) });
    const etag = (await ask()).headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
    await daybook.ingest([{ name: "other", userId: "u1", project: "shop", createdAt: NOW_MS - 500 }]);
    expect((await ask(etag)).status).toBe(304);
    await daybook.ingest([{ name: "a", userId: "u2", project: "shop", createdAt: NOW_MS - 400 }]);
    expect((await ask(etag)).status).toBe(200);
  });

  it("keeps the names that callers gave to segments", async () => {
    const segments = (name: string) => ({ [name]: { groups: [{ conditions: [{ type: "did", event_name: "a", at_least: 1 }] }] } });
    const inSegment = (value: string) => [{ filters: [{ field_name: "identity_id", operator: "in_segment", value }] }];
    for (const name of ["event_name", "eventName", "at_least", "A_b-9"]) {
      const sent = await send(handler, pathOf("trend"), { body: { interval: "total", filter_groups: inSegment(name), segments: segments(name) } });
      expect([sent.status, sent.json["value_count"]]).toEqual([200, 0]);
      const unknown = await send(handler, pathOf("trend"), { body: { segments: { [name]: { groups: [{ conditions: [{ type: "did", at_least: 0 }] }] } } } });
      expect(unknown.json["param"]).toBe(`segments.${name}.groups[0].conditions[0].at_least`);
    }
  });

  it.each(reports)("%s is refused where it is asked with GET, and without a token", async (report) => {
    const got = await send(handler, pathOf(report), { method: "GET" });
    expect([got.status, got.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
    const nobody = await send(handler, pathOf(report), { token: null, body: {} });
    expect([nobody.status, codeOf(nobody)]).toEqual([401, "missing_token"]);
  });
});
