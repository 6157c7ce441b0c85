import { join } from "node:path";
import type { Daybook } from "daybook";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import type { TrendAnswer, WebAnswer } from "../../src/page/api/answers.js";
import { keyOf, longListsQuery, trendQuery, type PageQuery } from "../../src/page/api/queries.js";
import { viewStateOf, scopeOf, type ViewScope } from "../../src/page/state/view-state.js";
import { filterByValue, type Filter } from "../../src/page/state/filter.js";
import { breakdownRows, visitRows } from "../../src/page/views/overview.js";
import { answerTo } from "./opened-page.js";
import { OWNER, servePage, type ServedPage } from "./serve-page.js";
import { openShop } from "./shop.js";

const NOW_MS = Date.UTC(2026, 2, 10, 12);
const LISTS = [
  ["sources", "touch_source"],
  ["mediums", "touch_medium"],
  ["campaigns", "touch_campaign"],
  ["countries", "location_country"],
  ["devices", "device"],
] as const;

let daybook: Daybook;
let served: ServedPage;

beforeAll(async () => {
  daybook = await openShop(NOW_MS, 150);
  served = await servePage(join(inject("programs"), "page"), daybook);
});

afterAll(async () => {
  await served.close();
  await daybook.close();
});

function scopeBy(filters: readonly Filter[]): ViewScope {
  return { ...scopeOf(viewStateOf("project=shop&period=all&zone=UTC"), { nowMs: NOW_MS, extent: null }), filters };
}

async function ask<A>(query: PageQuery<A>): Promise<A> {
  return (await answerTo(served, OWNER.token, keyOf(query))).answer as A;
}

const webBy = (...filters: readonly Filter[]): Promise<WebAnswer> => ask(longListsQuery(scopeBy(filters)));

describe("a row of a list", () => {
  test.each(LISTS)("of %s that makes filters counts the visits that these give", async (list, field) => {
    const rows = visitRows((await webBy())[list], field).filter(({ filters }) => filters !== null);
    expect(rows.length).toBeGreaterThan(2);
    for (const { label, more, filters } of rows) {
      const { figures } = await webBy(...(filters ?? []));
      expect([label, String(figures.visits)]).toEqual([label, more?.exact.replaceAll(",", "")]);
    }
  });

  test("of a city is told from its namesakes, by what it says and by its filters", () => {
    const figures = { sessions: 3, users: 2 } as never;
    const rows = breakdownRows([["US", "Paris"], ["FR", "Paris"], ["FR", ""]].map((values) => ({ values, figures })), ["location_country", "location_city"]);
    expect(rows.map(({ label }) => label)).toEqual(["Paris, United States", "Paris, France", "(not set), France"]);
    expect(rows[1]?.filters).toEqual([
      { field: "location_city", operator: "is", value: "Paris" },
      { field: "location_country", operator: "is", value: "FR" },
    ]);
  });

  test("of a source that told no campaign makes filters that say so", async () => {
    const row = visitRows((await webBy()).campaigns, "touch_campaign").find(({ label }) => label === "(not set)");
    expect(row?.filters).toEqual([
      { field: "touch_source", operator: "is_set", value: "" },
      { field: "touch_campaign", operator: "is_not_set", value: "" },
    ]);
  });

  test.each(LISTS.slice(0, 3))("of visits that nobody brought, in %s, makes none: no filter gives just these", async (list, field) => {
    const row = visitRows((await webBy())[list], field).find(({ key }) => ["(direct)", "(none)"].includes(key));
    expect(row?.filters).toBeNull();
    const { figures } = await webBy({ field, operator: "is_not_set", value: "" });
    expect(figures.visits).toBeGreaterThan(Number(row?.more?.exact.replaceAll(",", "")));
  });

  test.each(["first_touch.source", "last_touch.medium", "touch_source"])("of a trend by %s gives its own total, nobody's too", async (by) => {
    const chosen = { ...viewStateOf("view=trends").choices.trends, by };
    const query = (filters: readonly Filter[], broken = by) => trendQuery(scopeBy(filters), { ...chosen, by: broken }) ?? trendOfNothing();
    const { series } = await ask<TrendAnswer>(query([]));
    const nobody = { "first_touch.source": "(direct)", "last_touch.medium": "(none)", touch_source: "" }[by];
    expect(series.map(({ values }) => values[0])).toContain(nobody);
    for (const { values, total } of series) {
      const filtered = await ask<TrendAnswer>(query([filterByValue(by, values[0] ?? "")], ""));
      expect([values, filtered.series[0]?.total]).toEqual([values, total]);
    }
  });
});

function trendOfNothing(): never {
  throw new Error("expected a question");
}
