import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { reports as onClickHouse } from "../src/clickhouse/executor.js";
import * as command from "../src/cli/commands/query.js";
import { RemoteDaybook } from "../src/client/remote-daybook.js";
import { PlannedQueries } from "../src/engine/queries.js";
import { QUERY_RIGHTS } from "../src/http/access/rights.js";
import { openapiText } from "../src/http/operations/openapi.js";
import { routes } from "../src/http/routes/table.js";
import * as insights from "../src/query/reports/lazy-reports.js";
import { reports } from "../src/query/reports/reports.js";
import { QUERIES, QUERY_NAMES, type Answer, type Queries, type QueryData, type ReportName } from "../src/query/queries.js";
import { ROOT } from "./cli/run.js";

/** Queries whose answers get a cursor before they are returned. */
type Paged = "searchEvents" | "identitySessions";

/** The queries whose method promises something else than the report computes: none. */
type Mismatched = { [K in Exclude<ReportName, Paged>]: Answer<K> extends Awaited<ReturnType<Queries[K]>> ? never : K }[Exclude<ReportName, Paged>];
const mismatched: readonly Mismatched[] = [] satisfies readonly never[];

const pageOf = (name: string) => readFileSync(join(ROOT, "docs/reference", name), "utf8");

describe("every query", () => {
  const names = [...QUERY_NAMES].sort();
  const rows: Readonly<Record<string, { readonly shows: QueryData; readonly onClickHouse?: false }>> = QUERIES;

  test("has code, an entry and an answer of one type", () => {
    expect(names.length).toBeGreaterThan(20);
    expect(Object.keys(reports).sort()).toEqual(names);
    const lazy = Object.entries(reports).flatMap(([name, { isLazy }]) => (isLazy ? [name] : []));
    expect([...lazy, "PeopleSegments"].sort()).toEqual(Object.keys(insights).sort());
    expect(mismatched).toEqual([]);
  });

  test("is a method of every Daybook and of the client, with its own name", () => {
    for (const { prototype } of [PlannedQueries, RemoteDaybook])
      for (const name of names) expect((prototype as unknown as Record<string, { readonly name: string }>)[name]?.name).toBe(name);
  });

  test("has a statement on ClickHouse, unless its entry says that it has none", () => {
    expect(Object.keys(onClickHouse).sort()).toEqual(names.filter((name) => rows[name]?.onClickHouse !== false));
  });

  test("has a route under the rights of its data, which the OpenAPI document lists", () => {
    const { paths } = JSON.parse(new TextDecoder().decode(openapiText(routes).bytes)) as { paths: Record<string, object> };
    for (const name of names) {
      const route = routes.find(({ method, path }) => method === "POST" && path === `/v1/query/${name}`);
      expect(route?.access, name).toEqual(QUERY_RIGHTS[rows[name]?.shows ?? "analytics"]);
      expect(paths).toHaveProperty([`/v1/query/${name}`]);
    }
    expect(routes.filter(({ path }) => path.startsWith("/v1/query/"))).toHaveLength(names.length);
  });

  test("is named by the help of the command line and the page of queries, and by the page of routes if it needs a scope of its own", () => {
    const isNamed = (text: string) => (name: string) => new RegExp(`\\b${name}\\b`).test(text);
    expect(names.filter(isNamed(command.help))).toEqual(names);
    expect(names.filter(isNamed(pageOf("queries.md")))).toEqual(names);
    const rights = pageOf("http.md").split("\n").filter((line) => /^\| `.*:read` \| (?:any|owner, admin) \|$/.test(line)).join("\n");
    expect(names.filter(isNamed(rights))).toEqual(names.filter((name) => rows[name]?.shows !== "analytics"));
  });
});
