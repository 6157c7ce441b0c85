import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import type { Daybook, Funnel, Retention, Trend } from "daybook";
import type { DaybookNumber } from "../../src/embed/index.js";
import { sharedChromium } from "../browser/chromium.js";
import { openShop } from "../page/shop.js";
import { BOARD, ITEMS } from "./bodies.js";
import { EmbeddingSite, OTHER_READER, READER } from "./embedding-site.js";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const VISITORS = 250;
const DAYS = { trend: { lastDays: 30 } };

let daybook: Daybook;
let site: EmbeddingSite;
let page: Page;
const complaints: string[] = [];

beforeAll(async () => {
  daybook = await openShop(Date.now(), VISITORS);
  site = await EmbeddingSite.of(daybook, inject("programs"));
});

afterAll(async () => {
  await site.close();
  await daybook.close();
});

beforeEach(async () => {
  site.reset();
  complaints.length = 0;
  const context = await (await sharedChromium()).newContext({ locale: "en-GB", timezoneId: "Europe/Berlin", viewport: { width: 1100, height: 900 } });
  page = await context.newPage();
  page.on("pageerror", (error) => complaints.push(String(error)));
});

afterEach(async () => {
  await page.context().close();
});

/** An element as HTML. */
function element(name: string, query: object | null, attributes = 'token-url="/token"'): string {
  return `<daybook-${name} ${attributes}${query === null ? "" : ` query='${JSON.stringify(query)}'`}></daybook-${name}>`;
}

async function open(body: string): Promise<void> {
  site.body = body;
  await page.goto(`${site.url}/page`);
  await settled();
}

/** Waits until no element loads, and all is drawn. */
async function settled(): Promise<void> {
  await page.waitForFunction(() => {
    const inside = (root: ParentNode): Element[] => [...root.querySelectorAll("*")].flatMap((each) => [each, ...(each.shadowRoot === null ? [] : inside(each.shadowRoot))]);
    const all = inside(document);
    return all.some((each) => each.shadowRoot !== null) && all.every((each) => each.getAttribute("aria-busy") !== "true");
  });
  await page.waitForTimeout(80);
}

/** What the route answers to the last query that has this part. */
async function answerTo<A>(part: string): Promise<A> {
  const sent = site.queries.findLast(({ input }) => JSON.stringify(input).includes(part));
  if (sent === undefined) throw new Error(`no query has ${part}`);
  const body = (await (await site.ask(sent.name, JSON.stringify(sent.input))).json()) as { answer: A };
  return body.answer;
}

/** As long as a busy machine needs. */
function eventually<T>(read: () => T | Promise<T>) {
  return expect.poll(read, { timeout: 15_000 });
}

function plain(text: string | null): number {
  return Number((text ?? "").replaceAll(/[^\d.-]/g, ""));
}

interface Axe {
  run(context: object, options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
}

async function flaws(): Promise<string[]> {
  await page.evaluate(AXE);
  return await page.evaluate(async () => {
    const { violations } = await (Reflect.get(globalThis, "axe") as Axe).run(document, { resultTypes: ["violations"], preload: false });
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
  });
}

describe("a board of every kind of element", () => {
  test("shows the figures that the routes answer, each query asked once with one token", async () => {
    await open(BOARD);
    expect([site.queries.length, site.tokenRequests]).toEqual([ITEMS.length, ["session=ada"]]);
    expect(new Set(site.queries.map(({ token }) => token))).toEqual(new Set([READER]));

    const people = await answerTo<Trend>('"unique_users"},"timeZone"');
    expect(plain(await page.locator("daybook-number [data-figure=total]").first().getAttribute("data-exact"))).toBe(people.series[0]?.total);
    expect(people.previous?.series[0]?.total).toBeGreaterThan(0);

    const daily = await answerTo<Trend>('"unique_users"},"compare"');
    const cells = await page.locator("daybook-chart table").first().locator("td").allInnerTexts();
    expect(cells.map(plain)).toEqual(daily.series[0]?.data);
    expect(cells).toHaveLength(30);

    const countries = await answerTo<Trend>('"location_country"');
    const columns = countries.buckets.map((_, at) => [...countries.series, ...(countries.rest === null ? [] : [countries.rest])].map(({ data }) => data[at]));
    expect((await page.locator("daybook-chart table").nth(1).locator("td").allInnerTexts()).map(plain)).toEqual(columns.flat());

    const pages = await answerTo<Trend>('"path"');
    const rows = await page.locator("daybook-list tbody tr").allInnerTexts();
    expect(rows.map((row) => row.split("\t").map((cell) => cell.trim()))).toEqual(pages.series.map(({ values: [value = ""], total }) => [value, String(total)]));

    const { steps } = await answerTo<Funnel>('"Checkout"');
    expect((await page.locator("daybook-funnel strong").allInnerTexts()).map(plain)).toEqual(steps.map(({ entities }) => entities));

    const { cohorts } = await answerTo<Retention>('"periods"');
    const sizes = await page.locator("daybook-retention tbody tr:not(.triangle-total) td.right").allInnerTexts();
    expect(sizes.map(plain)).toEqual(cohorts.filter(({ size }) => size > 0).map(({ size }) => size));
    expect(complaints).toEqual([]);
  });

  test.each(["light", "dark"] as const)("fits every width in %s, and axe finds nothing", async (colorScheme) => {
    site.head = "<style>:root { color-scheme: light dark }</style>";
    await page.emulateMedia({ colorScheme });
    await open(BOARD);
    expect(await flaws()).toEqual([]);
    for (const width of [320, 768, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    }
    const card = page.locator("daybook-number .card").first();
    expect(await card.evaluate((each) => getComputedStyle(each).backgroundColor)).toBe(colorScheme === "dark" ? "rgb(27, 29, 32)" : "rgb(255, 255, 255)");
  });

  test("takes other items, dates and tokens without being made anew", async () => {
    await open(BOARD);
    const first = site.queries.length;
    await page.locator("daybook-board").evaluate((board) => board.setAttribute("date-range", "2026-01-01..2026-01-07"));
    await settled();
    expect(site.queries.slice(first).map(({ input }) => Reflect.get(Object(input), "endDate") as unknown)).toEqual(ITEMS.map(() => "2026-01-07"));
  });
});

test("the arrow keys move through the points of a chart, and the tooltip says what they are", async () => {
  await open(element("chart", DAYS));
  const { buckets, series } = await answerTo<Trend>("startDate");
  await page.locator("daybook-chart .plot").focus();
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowLeft");
  const spoken = page.locator("daybook-chart [aria-live]");
  await eventually(() => spoken.textContent()).toContain(`: Events ${series[0]?.data.at(-2)}`);
  expect(await page.locator("daybook-chart .tooltip-title").innerText()).toContain(String(Number(buckets.at(-2)?.local?.slice(8))));
  await page.keyboard.press("Escape");
  await eventually(() => page.locator("daybook-chart .tooltip").count()).toBe(0);
});

test("equal queries of a page are asked once, and numbers follow the locale", async () => {
  const german = element("number", DAYS, 'token-url="/token" locale="de"');
  await open(element("number", DAYS) + german + element("number", DAYS) + element("number", { trend: { lastDays: 7 } }));
  expect([site.queries.length, site.tokenRequests.length]).toEqual([2, 1]);
  const shown = await page.locator("daybook-number .number-change").allInnerTexts();
  expect([shown[0], shown[1]?.includes(",")]).toEqual([shown[2], true]);
  await open(`<div lang="de">${BOARD}</div>`);
  expect(await page.locator("daybook-list, daybook-number .number-change").first().innerText()).toContain(",");
});

test("elements of a group have the dates that were set last on one of them", async () => {
  const grouped = element("number", DAYS, 'token-url="/token" group="a"');
  await open(grouped + element("list", { trend: { lastDays: 30, breakdown: { fields: ["device"] } } }, 'token-url="/token" group="a"') + element("number", DAYS));
  // The two numbers are equal so far.
  expect(site.queries).toHaveLength(2);
  await page.locator("daybook-list").evaluate((list) => Object.assign(list, { dateRange: "2026-03-01..2026-03-31" }));
  await settled();
  const changed = site.queries.slice(2).map(({ input }) => input as Record<string, unknown>);
  expect(changed.map(({ startDate, endDate }) => [startDate, endDate])).toEqual([["2026-03-01", "2026-03-31"], ["2026-03-01", "2026-03-31"]]);
});

describe("a token", () => {
  test("is fetched again a minute before it expires, and not sooner", async () => {
    await page.clock.install();
    site.tokenAnswers = [{ token: READER, expires_at: new Date(Date.now() + 150_000).toISOString() }, { token: READER }];
    await open(element("number", DAYS));
    const afterMinute = async () => {
      const answered = page.waitForResponse("**/v1/query/**");
      await page.clock.runFor(61_000);
      await (await answered).finished();
      await page.waitForTimeout(50);
      return [site.queries.length, site.tokenRequests.length];
    };
    expect(await afterMinute()).toEqual([2, 1]);
    expect(await afterMinute()).toEqual([3, 2]);
  });

  test("that the server refuses is replaced once, and without another one the element says so", async () => {
    site.tokenAnswers = ["sk_refused_0123456789abcdefghijkl", { token: READER }];
    await open(element("number", DAYS));
    expect(site.queries.map(({ token }) => token)).toEqual(["sk_refused_0123456789abcdefghijkl", READER]);
    expect(await page.locator("[data-figure=total]").count()).toBe(1);

    await page.locator("daybook-number").evaluate((number) => Object.assign(number, { token: "sk_refused_0123456789abcdefghijkl" }));
    await eventually(() => page.locator("[data-error=invalid_token]").count()).toBe(1);
  });

  test("may be a property, set before the script is there", async () => {
    site.body = `${element("number", DAYS, "")}<script>document.querySelector("daybook-number").token = "${READER}";</script>`;
    await page.goto(`${site.url}/page`);
    await settled();
    expect([site.tokenRequests.length, await page.locator("[data-figure=total]").count()]).toEqual([0, 1]);
  });

  test("is forgotten when the account changes, with all that was read by it", async () => {
    site.tokenAnswers = [{ token: READER }, { token: OTHER_READER }];
    await open(`${element("number", DAYS)}${element("list", { trend: { lastDays: 30, breakdown: { fields: ["device"] } } })}`);
    const figures = page.locator("[data-figure=total], tbody tr");
    expect(await figures.count()).toBeGreaterThan(1);
    const asked: string[] = [];
    await page.route("**/v1/query/**", (route) => void asked.push(route.request().headers()["authorization"] ?? ""));
    await page.locator("daybook-number").evaluate((number) => (number as DaybookNumber).forgetToken());
    await eventually(() => asked).toEqual(Array(2).fill(`Bearer ${OTHER_READER}`));
    // While nothing else is there, the former answers would be of another account.
    expect(await figures.count()).toBe(0);
    expect(site.tokenRequests).toHaveLength(2);
  });
});

test("a script below a path asks there", async () => {
  site.script = '<script type="module" src="/stats/embed.js"></script>';
  const asked: string[] = [];
  page.on("request", (request) => void asked.push(new URL(request.url()).pathname));
  await open(element("number", DAYS));
  expect(asked).toContain("/stats/v1/query/trend");
  expect(await page.locator("[data-figure=total]").count()).toBe(1);
});

describe("an answer is asked again each minute", () => {
  beforeEach(() => page.clock.install());

  const hide = (hidden: boolean) =>
    page.evaluate((isHidden) => {
      Object.defineProperty(document, "hidden", { value: isHidden, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }, hidden);

  test("while the document is visible, and at once when it is visible again", async () => {
    await open(element("number", DAYS));
    await hide(true);
    await page.clock.runFor(200_000);
    // What is asked needs a moment to arrive.
    await page.waitForTimeout(200);
    expect(site.queries).toHaveLength(1);
    await hide(false);
    await page.clock.runFor(10);
    await eventually(() => site.queries.length).toBe(2);
  });

  test("while the element is in the viewport", async () => {
    await open(`<div style="height: 4000px"></div>${element("number", DAYS)}`);
    await page.clock.runFor(200_000);
    // What is asked needs a moment to arrive.
    await page.waitForTimeout(200);
    expect(site.queries).toHaveLength(1);
    await page.locator("daybook-number").scrollIntoViewIfNeeded();
    await page.waitForTimeout(200);
    await page.clock.runFor(10);
    await eventually(() => site.queries.length).toBe(2);
  });

  test("and stays in sight, marked, while the server is overloaded", async () => {
    await open(element("number", DAYS, 'token-url="/token" heading="Events"'));
    site.statusOf = () => 503;
    await page.clock.runFor(61_000);
    await eventually(() => page.locator(".stale").count()).toBe(1);
    expect(await page.locator("[data-figure=total]").count()).toBe(1);
    site.statusOf = () => null;
    await page.clock.runFor(6_000);
    await eventually(() => page.locator(".stale").count()).toBe(0);
  });

  test("until the element is removed, which stops the query under way", async () => {
    let aborted = 0;
    page.on("requestfailed", (request) => void (aborted += request.url().includes("/v1/query/") ? 1 : 0));
    site.body = element("number", DAYS);
    await page.route("**/v1/query/**", () => undefined);
    const asked = page.waitForRequest("**/v1/query/**");
    await page.goto(`${site.url}/page`);
    await asked;
    await page.locator("daybook-number").evaluate((number) => number.remove());
    await eventually(() => aborted).toBe(1);
  });
});

/** Elements that cannot show an answer: the code of the error, and what it says. */
const FAILING: readonly (readonly [body: string, code: string, message: string])[] = [
  ['<daybook-chart token-url="/token" query=\'{"trend": {\'></daybook-chart>', "invalid_attribute", 'query: expected JSON, got {"trend": {'],
  [element("chart", null), "invalid_attribute", 'query: expected {"trend": {…}}, got none.'],
  [element("chart", { trand: {} }), "invalid_attribute", 'query: expected {"trend": {…}}, got "trand".'],
  [element("funnel", { trend: {} }), "invalid_attribute", 'query: expected {"funnel": {…}}, got "trend".'],
  [element("number", DAYS, ""), "invalid_attribute", "token-url: expected an address"],
  [element("number", { trend: { lastDays: 0 } }), "invalid_attribute", "query: lastDays: expected 1 to 3660 days, got 0."],
  [element("number", DAYS, 'token-url="/token" date-range="last week"'), "invalid_attribute", 'date-range: expected days such as 30d'],
  [element("number", DAYS, 'token-url="/token" time-zone="Mars"'), "invalid_attribute", "time-zone: expected a name such as Europe/Berlin"],
  [element("number", DAYS, 'token-url="/token" locale="x_y"'), "invalid_attribute", "locale: expected a language"],
  [element("chart", DAYS, 'token-url="/token" type="pie"'), "invalid_attribute", "type: expected one of line, bars, stacked-bars"],
  [element("list", DAYS), "invalid_attribute", "query.trend.breakdown: expected the fields to list"],
  ['<daybook-board items="[]"></daybook-board>', "invalid_attribute", "items: expected a list"],
  [`<daybook-board items='[{"show": "pie"}]'></daybook-board>`, "invalid_attribute", "items[0].show: expected one of chart"],
  [element("number", { trend: { measure: { type: "sum" } } }), "invalid_parameter", "measure.field: expected the name of a field"],
  [element("number", DAYS, 'token-url="/nowhere"'), "token_unavailable", "answered with status 404"],
];

test("an element that cannot show its answer says why, and tells the page", async () => {
  site.head = `<script>globalThis.errors = []; addEventListener("daybook-error", ({ detail }) => errors.push(detail));</script>`;
  await open(FAILING.map(([body]) => `<div>${body}</div>`).join(""));
  const said = await page.locator("[data-error]").evaluateAll((notices) => notices.map((notice) => [notice.getAttribute("data-error"), notice.textContent]));
  const like = (text: string) => expect.stringContaining(text) as string;
  expect(said).toEqual(FAILING.map(([, code, message]) => [code, like(message)]));
  const errors = await page.evaluate(() => Reflect.get(globalThis, "errors") as object[]);
  expect(errors).toEqual(expect.arrayContaining(FAILING.map(([, code, message]) => ({ code, message: like(message) }))));
  expect(errors).toHaveLength(FAILING.length);
  expect(await flaws()).toEqual([]);
  expect(complaints).toEqual([]);
});

test("a board says each time what is wrong with its items, and shows them once they are right", async () => {
  await open('<daybook-board items="[]"></daybook-board>');
  const setItems = (text: string) => page.locator("daybook-board").evaluate((board, value) => board.setAttribute("items", value), text);
  for (const [items, message] of [['[{"show": "pie"}]', "items[0].show"], ["[", "items: expected JSON"], ["[]", "items: expected a list"]] as const) {
    await setItems(items);
    await eventually(() => page.locator("daybook-board [data-error]").innerText()).toContain(message);
  }
  await setItems(JSON.stringify([{ show: "number", query: { trend: { lastDays: 7 } } }]));
  await page.locator("daybook-board daybook-number").waitFor();
  expect(await page.locator("daybook-board [data-error]").count()).toBe(1);
});

test("an empty answer is said in words, and colors that the page changes are drawn anew", async () => {
  await open(element("chart", { trend: { lastDays: 7, eventName: "nothing" } }) + element("chart", DAYS));
  expect(await page.locator("daybook-chart").first().locator(".notice").innerText()).toBe("No data in this period");
  const painted = () => page.locator("daybook-chart canvas").evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
  const before = await painted();
  await page.evaluate(() => document.body.style.setProperty("--daybook-accent", "oklch(0.6 0.2 30)"));
  await eventually(painted).not.toBe(before);
});
