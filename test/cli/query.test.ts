import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { openDaybook } from "../../src/index.js";
import type { ReportName } from "../../src/index.js";
import { fileStorage } from "../../src/platform/node/index.js";
import { answerText } from "../../src/cli/print/answer.js";
import { QUERY_NAMES } from "../../src/query/queries.js";
import { REPORT_ANSWERS } from "../http/report-answers.js";
import { longTest } from "../long-test.js";
import { daybookHere } from "./run-here.js";
import { daybook, startProgram } from "./run.js";

let data = "";
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), "daybook-query-"));
  await using store = await openDaybook({ storage: fileStorage(join(data, "default")), currency: "EUR" });
  const at = (day: number, hour: number) => `2026-03-0${day}T0${hour}:00:00Z`;
  await store.ingest([
    { id: "1", name: "signup", userId: "ann", createdAt: at(1, 1), project: "shop", browser: "Firefox" },
    { id: "2", name: "signup", userId: "bob", createdAt: at(1, 2), project: "shop", browser: "Safari" },
    { id: "3", name: "order", userId: "ann", createdAt: at(1, 3), project: "shop", value: 5, currency: "EUR", metadata: { plan: "pro" } },
    { id: "4", name: "signup", userId: "cid", createdAt: at(2, 1), project: "site", metadata: { ticket: "9007199254740993" } },
  ]);
});
afterAll(() => rm(data, { recursive: true, force: true }));

const query = (...args: string[]) => daybookHere(["query", ...args, "--data", data]);

test("An integer beyond 2^53 in --json finds its digits.", async () => {
  const filter = (value: string) => query("countEvents", "--json", `{"filterGroups":[{"filters":[{"fieldName":"metadata.ticket","operator":"=","value":${value}}]}]}`);
  expect([(await filter("9007199254740993")).stdout, (await filter("9007199254740992")).stdout]).toEqual(["1\n", "0\n"]);
});

/** What a terminal would show. */
async function onTerminal(...args: string[]): Promise<string> {
  const before = Object.getOwnPropertyDescriptor(process.stdout, "isTTY");
  Object.defineProperty(process.stdout, "isTTY", { value: true, configurable: true });
  onTestFinished(() => void Object.defineProperty(process.stdout, "isTTY", before ?? { value: undefined, configurable: true }));
  const { stdout, stderr, code } = await query(...args);
  expect([code, stderr]).toEqual([0, ""]);
  return stdout;
}

describe("daybook query", () => {
  test("answers as the library does, as one line of JSON where nobody looks", async () => {
    await using store = await openDaybook({ storage: fileStorage(join(data, "default")), readOnly: true, currency: "EUR" });
    const asked: readonly (readonly [ReportName, object])[] = [
      ["countEvents", {}],
      ["countEventsPerDay", { project: "shop", fill: true, endDate: "2026-03-03" }],
      ["aggregate", { field: "browser" }],
      ["aggregate", { field: "person.plan", measure: "unique_users" }],
      ["searchEvents", { eventName: "order" }],
      ["identityProfile", { userId: "ann", startDate: "2026-03-01", endDate: "2026-03-02" }],
      ["revenueByAttribution", { project: "shop", startDate: "2026-03-01", endDate: "2026-03-02" }],
    ];
    for (const [name, input] of asked) {
      const { code, stdout, stderr } = await query(name, "--json", JSON.stringify(input), "--currency", "EUR");
      expect([code, stderr, stdout.indexOf("\n")]).toEqual([0, "", stdout.length - 1]);
      expect(JSON.parse(stdout), name).toEqual(JSON.parse(JSON.stringify(await store[name](input as never))));
    }
  });

  test("takes a project, and its input from standard input too", async () => {
    expect((await query("countEvents", "--project", "site")).stdout).toBe("1\n");
    const piped = await daybook(["query", "countEvents", "--data", data, "--json", "-"], { input: '{"eventName":"signup"}' });
    expect(piped).toMatchObject({ code: 0, stdout: "3\n", stderr: "" });
  });

  longTest("answers beside a process that writes", async () => {
    const server = startProgram("src/cli/main.ts", ["serve", "--data", data, "--port", "0", "--quiet"]);
    await server.said(/^daybook listening on /m);
    expect((await daybook(["query", "countEvents", "--data", data])).stdout).toBe("4\n");
    server.child.kill("SIGTERM");
    expect((await server.finished).code).toBe(0);
  });

  test("says in one line what is wrong with a query, and that it is usage, unlike what is missing", async () => {
    const failures: readonly (readonly [args: string[], code: number, line: string])[] = [
      [["countEvents", "--json", '{"event":"a"}'], 2, "event: unknown; allowed: "],
      [["countEvents", "--json", "{"], 2, "--json: expected JSON, "],
      [["countEvents", "--json", '{"startDate":"soon"}'], 2, "startDate: expected YYYY-MM-DD "],
      [["identityProfile", "--project", "shop", "--json", '{"userId":"ann"}'], 2, "project: unknown; allowed: "],
      [["identityProfile", "--json", '{"userId":"nobody"}'], 1, 'userId: no person has the identifier "nobody"'],
      [["ltvCohorts", "--json", '{"project":"none"}'], 1, 'project: there is no project "none"'],
      [["countEvents", "--organization", "other"], 1, `${data}: there is no organization "other" here`],
    ];
    for (const [args, code, line] of failures) {
      const failed = await query(...args);
      expect([failed.code, failed.stdout]).toEqual([code, ""]);
      expect(failed.stderr.startsWith(`daybook query: ${line}`), failed.stderr).toBe(true);
      expect(failed.stderr.indexOf("\n")).toBe(failed.stderr.length - 1);
    }
  });

  test("tells of a name that nothing has, and answers", async () => {
    const { code, stdout, stderr } = await query("aggregate", "--json", '{"metadataField":"plna"}');
    expect([code, JSON.parse(stdout)]).toEqual([0, [{ property: "", count: 4 }]]);
    expect(stderr).toMatch(/^daybook query: metadataField: "plna" is not a metadata key [^\n]*\n$/);
  });

  test("shows tables on a terminal", async () => {
    expect(await onTerminal("countEvents")).toBe("4\n");
    expect(await onTerminal("countEventsPerDay")).toBe("day         count\n2026-03-01      3\n2026-03-02      1\n");
    expect(await onTerminal("aggregate", "--json", '{"field":"browser"}')).toBe("property   count\n(not set)      2\nFirefox        1\nSafari         1\n");
    expect(await onTerminal("searchEvents", "--json", '{"eventName":"order"}')).toBe(
      'created at                name   project  user id  value  currency  metadata\n2026-03-01T03:00:00.000Z  order  shop     ann          5  EUR       {"plan":"pro"}\n',
    );
    expect(await onTerminal("ltvCohorts", "--json", '{"project":"shop","level":"identity"}', "--currency", "EUR")).toBe(
      "currency  EUR\n\ncohorts\n  cohort   entities  revenue  orders  ltv\n  2026-03         2        5       1  2.5\n",
    );
  });
});

describe("an answer on a terminal", () => {
  const names = QUERY_NAMES.filter((name) => name in REPORT_ANSWERS) as (keyof typeof REPORT_ANSWERS)[];
  const shown = (name: keyof typeof REPORT_ANSWERS) => answerText(name, REPORT_ANSWERS[name] as never);

  test.each(names)("of %s has no value that a person cannot read", (name) => {
    const text = shown(name);
    expect(text).not.toMatch(/undefined|NaN|\[object|\{"/);
    expect(text).toMatch(/[^\n]\n$/);
    for (const line of text.split("\n")) expect(line).toBe(line.trimEnd());
  });

  test("of a funnel has a line a step, and of its values and times how far people got", () => {
    expect(shown("funnel").split("\n")).toEqual([
      "step    entities   of all  of previous step  dropped off  median  90 % within",
      "signup         9  100.0 %           100.0 %            5       -            -",
      "Paid           4   44.4 %            44.4 %            0    58 s       71.2 s",
      "1 may still continue",
      "",
      "            signup  Paid  of all",
      "DE               9     4  44.4 %",
      "rest             9     4  44.4 %",
      "2026-03-29       9     4  44.4 %",
      "",
    ]);
  });

  test("of retention is a triangle, with a star where a period is not over and nothing where it has not begun", () => {
    const bucket = { start: null, end: null, local: "2026-03", partial: false };
    const period = (of: number, entities: number | null, incomplete = false) => ({ of, entities, rate: entities === null ? null : entities / of, incomplete });
    const text = answerText("retention", {
      definition: "def_0",
      asOf: null,
      cohorts: [
        { bucket, size: 4, periods: [period(4, 4), period(4, 2), period(4, 1, true)] },
        { bucket: { ...bucket, local: "2026-04", partial: true }, size: 2, periods: [period(2, 2), period(2, 1, true), period(2, null, true)] },
      ],
      total: [period(6, 6), period(4, 2, true), { of: 0, entities: 0, rate: null, incomplete: true }],
      rows: null,
      rest: null,
      valueCount: 0,
    });
    expect(text.split("\n")).toEqual([
      "           people        0         1         2",
      "2026-03         4  100.0 %    50.0 %  25.0 % *",
      "2026-04 *       2  100.0 %  50.0 % *",
      "all             6  100.0 %  50.0 % *       - *",
      "",
    ]);
  });

  test("of a trend has a line a bucket and a column a series, or a line a series where there are many", () => {
    const { trend } = REPORT_ANSWERS;
    expect(shown("trend").split("\n").slice(0, 5)).toEqual(["in USD", "              DE  rest", "2026-03-29     -     -", "total       -1.5  -1.5", "1 of 2 values"]);
    const series = Array.from({ length: 8 }, (_, at) => ({ values: [`v${at}`], counted: 3, total: 3, data: [1, 2] }));
    const many = answerText("trend", { ...trend, previous: null, currency: null, unconverted: [], rest: null, valueCount: 8, series, buckets: [...trend.buckets, ...trend.buckets] });
    expect(many.split("\n").slice(0, 3)).toEqual(["    counted  total", "v0        3      3  ▄█", "v1        3      3  ▄█"]);
  });
});
