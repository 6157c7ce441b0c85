import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { daybook, startProgram } from "../cli/run.js";
import { CLI } from "../program-names.js";
import { layouts, newDatabase, placeArguments } from "./kit.js";

const ACCESS_LOG = "examples/data/apache_logs_semicomplete_2015.log.gz";
const OWNER = "sk_clickhouse_owner_0123456789";

describe.each(layouts)("the command line on %s", (layout) => {
  let place: readonly string[] = [];
  let drop: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    const made = await newDatabase(layout);
    drop = made.drop;
    place = placeArguments(made.options);
  });
  afterAll(async () => await drop?.());

  /** A server, and how it is asked: GET without a body. */
  async function serve() {
    const server = startProgram(CLI, ["serve", ...place, "--port", "0", "--quiet", "--no-page"], { env: { DAYBOOK_TOKEN: OWNER } });
    const [, url = ""] = await server.said(/listening on (\S+)/);
    return async (path: string, body?: unknown, method = body === undefined ? "GET" : "POST") => {
      const init = body === undefined ? {} : { body: JSON.stringify(body) };
      const response = await fetch(`${url}${path}`, { method, headers: { authorization: `Bearer ${OWNER}`, "content-type": "application/json" }, ...init });
      const answer = (await response.json()) as Record<string, unknown>;
      // Tests look at a part of an answer: of a server that failed they would not show why.
      if (response.status >= 502) throw new Error(`${path}: ${JSON.stringify(answer)}`);
      return { status: response.status, answer };
    };
  }

  test("imports the access log once, however often it is told to, and answers with what Webalizer 2.23 counts", async () => {
    const first = await daybook(["import", ...place, ACCESS_LOG]);
    expect(first.stdout, first.stderr).toMatch(/accepted 10,000 \/ duplicates 0 \/ rejected 0/);
    const second = await daybook(["import", ...place, ACCESS_LOG]);
    expect(second.stdout, second.stderr).toMatch(/accepted 0 \/ duplicates 10,000 \/ rejected 0/);
    const uniques = await daybook(["query", "countUniqueUsersPerDay", ...place]);
    expect((JSON.parse(uniques.stdout) as { count: number }[]).map(({ count }) => count)).toEqual([341, 627, 561, 505]);
  });

  test("serves the same over HTTP, takes events, and says what is not there", async () => {
    const ask = await serve();
    expect(await ask("/analytics/count-events", { event_name: "pageview" })).toEqual({ status: 200, answer: { status: "OK", data: 10_000 } });
    const { answer: trend } = await ask("/v1/projects/default/insights/trend", { interval: "day", start_date: "2015-05-17", end_date: "2015-05-20" });
    expect(trend).toMatchObject({ series: [{ data: [1_632, 2_893, 2_896, 2_579] }] });
    const byDay = await ask("/v1/query/countEventsPerDay", {});
    expect((byDay.answer["answer"] as { count: number }[]).map(({ count }) => count)).toEqual([1_632, 2_893, 2_896, 2_579]);
    expect(await ask("/v1/events", [{ id: "0195800a-0000-7000-8000-000000000001", name: "later", project: "shop", created_at: "2015-06-01T00:00:00Z" }])).toMatchObject({ status: 200, answer: { accepted: 1 } });
    expect((await ask("/v1/projects")).answer).toEqual({ projects: ["default", "shop"] });
    expect((await ask("/v1/projects/nowhere/insights/trend", {})).answer).toMatchObject({ code: "project_not_found" });
    expect(await ask("/v1/query/countEvents?explain=true", {})).toMatchObject({ status: 501, answer: { code: "not_supported" } });
    const groups = [{ conditions: [{ type: "did", event_name: "later" }] }];
    expect(await ask("/v1/segments/late", { groups }, "PUT")).toEqual({ status: 200, answer: { name: "late", groups } });
    expect((await ask("/v1/segments")).answer).toEqual({ segments: [{ name: "late", groups }] });
    const filters = [{ field_name: "identity_id", operator: "in_segment", value: "late" }];
    expect((await ask("/analytics/count-events", { filter_groups: [{ filters }] })).answer).toEqual({ status: "OK", data: 0 });
    expect((await ask("/v1/segments/late", undefined, "DELETE")).answer).toEqual({ deleted: true });
    expect((await ask("/healthz")).status).toBe(200);
  });

  test("takes people, events and projects away over HTTP", async () => {
    const ask = await serve();
    await ask("/v1/events", [{ name: "later", project: "gone", user_id: "ann", created_at: "2015-06-02T00:00:00Z" }, { name: "later", project: "gone", created_at: "2015-06-02T00:00:00Z" }]);
    expect((await ask("/v1/stats")).answer).toMatchObject({ health: "ok", event_count: 10_003 });
    const { answer: { id } } = await ask("/v1/privacy-requests", { type: "erasure", subject: { user_id: "ann" } });
    for (const step of ["verify", "acknowledge"]) expect((await ask(`/v1/privacy-requests/${String(id)}/${step}`, {})).status).toBe(200);
    expect((await ask(`/v1/privacy-requests/${String(id)}/extend`, {})).status).toBe(200);
    expect((await ask(`/v1/privacy-requests/${String(id)}/resolve`, { resolution: "completed" })).answer)
      .toMatchObject({ status: "resolved", subject: { erased: true }, receipt: { events: 1, user_ids: 1 } });
    expect((await ask("/v1/privacy-requests")).answer).toMatchObject({ privacy_requests: [{ id, resolution: "completed" }] });
    expect((await ask("/v1/events", [{ name: "later", user_id: "ann", created_at: "2015-06-02T00:00:00Z" }])).answer).toMatchObject({ rejected: [{ code: "suppressed" }] });
    expect((await ask("/v1/time-to-live", { project: "gone", days: 36_525 }, "PUT")).answer).toEqual({ rules: [{ project: "gone", days: 36_525 }] });
    expect((await ask("/v1/time-to-live/preview", { project: "gone", days: 1 })).answer).toMatchObject({ events: 1, days: 1 });
    expect((await ask("/v1/time-to-live/sweep", {})).answer).toMatchObject({ events: 0 });
    expect((await ask("/v1/time-to-live")).answer).toEqual({ rules: [{ project: "gone", days: 36_525 }] });
    expect((await ask("/v1/projects/gone", undefined, "DELETE")).answer).toMatchObject({ events: 1 });
    expect((await ask("/v1/time-to-live/off", { project: "gone" })).answer).toEqual({ off: false });
    expect((await ask("/v1/projects")).answer).toEqual({ projects: ["default", "shop"] });
    expect((await ask("/v1/events/delete", { before: "2010-01-01" })).answer).toMatchObject({ events: 0 });
  });

  test("exports what is there, as a copy that imports into a store of its own", async () => {
    const { stdout, stderr } = await daybook(["export", ...place, "--to", "2015-05-17"]);
    const lines = stdout.trimEnd().split("\n").map((line) => JSON.parse(line) as { name?: string; type?: string });
    expect(lines.filter(({ type }) => type === undefined), stderr).toHaveLength(1_632);
    const refused = await daybook(["export", ...place, "--format", "parquet"]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("expected ndjson or csv with --clickhouse")]);
  });
});

test.each([
  [["serve", "--clickhouse", "http://127.0.0.1:9", "--database", "d"], "--clickhouse requires a token"],
  [["query", "countEvents", "--clickhouse", "http://127.0.0.1:9", "--database", "d", "--data", "x"], "--clickhouse and --data cannot be combined"],
  [["query", "countEvents", "--database", "d"], "--database requires --clickhouse"],
  [["import", "--clickhouse", "http://127.0.0.1:9", "x.csv"], "--database is required"],
])("%j is refused", async (args, message) => {
  const { code, stderr } = await daybook(args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});
