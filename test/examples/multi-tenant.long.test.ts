import type { BrowserContext, Page } from "playwright-core";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { inflateRawSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { seedEvents, TENANTS, type Tenant } from "../../examples/multi-tenant/seed.js";
import { startProduct } from "../../examples/multi-tenant/server.js";
import { decodeScopeToken } from "../../src/engine/tokens/scope-token.js";
import { sharedChromium } from "../browser/chromium.js";

const NAMES = ["acme", "blue", "coral"] as const satisfies readonly Tenant[];
const VIEWS = NAMES.flatMap((tenant) => ["/", "/react"].map((path) => [tenant, path] as const));

let product: Awaited<ReturnType<typeof startProduct>>;
let context: BrowserContext | null = null;

beforeAll(async () => {
  const embed = { text: await readFile(join(inject("programs"), "embed.js"), "utf8"), gzip: null };
  product = await startProduct({ port: 0, statsPort: 0, files: { embed } });
});

afterEach(async () => {
  await context?.close();
  context = null;
});

afterAll(() => product.close());

interface Logged {
  readonly url: string;
  /** Headers and body. */
  readonly text: string;
}

/** A page of a tenant that has signed in, and all that the browser was sent for it. */
async function signedIn(tenant: Tenant, path = "/"): Promise<{ readonly page: Page; readonly log: () => Promise<readonly Logged[]> }> {
  context = await (await sharedChromium()).newContext();
  await context.request.get(`${product.url}/login/${tenant}`);
  const page = await context.newPage();
  const responses: Promise<Logged>[] = [];
  page.on("response", (response) => {
    const logged = async () => {
      // Preflights have no body.
      const body = response.status() === 204 ? "" : await response.text();
      return { url: response.url(), text: `${JSON.stringify(await response.allHeaders())}\n${body}` };
    };
    responses.push(logged());
  });
  await page.goto(product.url + path);
  await page.waitForFunction(() => {
    const cards = [...document.querySelectorAll("daybook-number, daybook-chart, daybook-list, daybook-funnel")];
    const hasAnswer = ({ shadowRoot }: Element) => shadowRoot !== null && shadowRoot.querySelector("[data-figure], table, strong") !== null;
    return cards.length === 5 && cards.every(hasAnswer);
  });
  return { page, log: () => Promise.all(responses) };
}

const eventsOf = (tenant: Tenant) => seedEvents(Date.now()).filter(({ companyId }) => companyId === tenant);

/** Distinct users of an event. */
const usersOf = (tenant: Tenant, name: string) => new Set(eventsOf(tenant).filter((event) => event.name === name).map(({ userId }) => userId)).size;

function countsBy(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

/** What the page shows. */
async function shown(page: Page) {
  const numbers = (texts: readonly string[]) => texts.map((text) => Number(text.replaceAll(/[^\d]/g, "")));
  const list = async (at: number) => {
    const rows = await page.locator("daybook-list").nth(at).locator("tbody tr").allInnerTexts();
    return Object.fromEntries(rows.map((row) => row.split("\t").map((cell) => cell.trim())).map(([value = "", count]) => [value, Number(count)]));
  };
  return {
    people: Number(await page.locator("daybook-number [data-figure=total]").getAttribute("data-exact")),
    views: numbers(await page.locator("daybook-chart table td").allInnerTexts()).reduce((sum, count) => sum + count, 0),
    pages: await list(0),
    reports: await list(1),
    funnel: numbers(await page.locator("daybook-funnel strong").allInnerTexts()),
  };
}

/** Counted from the events, without Daybook. */
function expected(tenant: Tenant) {
  const events = eventsOf(tenant);
  const views = events.filter(({ name }) => name === "page_view");
  return {
    people: new Set(events.map(({ userId }) => userId)).size,
    views: views.length,
    pages: countsBy(views.map(({ url }) => new URL(String(url)).pathname)),
    reports: countsBy(events.filter(({ name }) => name === "report_opened").map(({ metadata }) => String(Reflect.get(metadata ?? {}, "report")))),
    // In each visit a report is opened after the page view, and shared after that.
    funnel: ["page_view", "report_opened", "report_shared"].map((name) => usersOf(tenant, name)),
  };
}

/** The names that only this tenant has. */
const planted = (tenant: Tenant): readonly string[] => {
  const { users, pages, reports } = TENANTS[tenant];
  return [tenant, ...users, ...pages, ...reports];
};

/** The scope of a token, which its holder can read. */
function scopeIn(token: string): string {
  return inflateRawSync(decodeScopeToken(token)?.deflatedPayload ?? "").toString();
}

test("the counts of acme, by hand", () => {
  // Ada comes on 14 days, Ari on 7 and Abe on 5; Ada and Ari open reports on even days; Ada shares on four of them.
  expect(expected("acme")).toEqual({
    people: 3, views: 26, pages: { "/rockets": 10, "/anvils": 16 }, reports: { "Tunnel paint": 14 }, funnel: [3, 2, 1],
  });
});

describe.each(VIEWS)("%s at %s", (tenant, path) => {
  test("sees its own numbers, and no name of others in all that the browser got", async () => {
    const { page, log } = await signedIn(tenant, path);
    expect(await shown(page)).toEqual(expected(tenant));
    expect(await page.locator("daybook-list thead th:first-child").allInnerTexts()).toEqual(["Page", "report"]);

    const responses = await log();
    const addresses = responses.map(({ url }) => new URL(url).pathname);
    expect(addresses.filter((address) => address.startsWith("/v1/query/")).length).toBeGreaterThanOrEqual(5);
    expect(addresses).toEqual(expect.arrayContaining(["/embed.js", "/analytics-token"]));
    const others = NAMES.filter((other) => other !== tenant).flatMap(planted);
    // Scripts are the same for everybody, and "coral" is a color in them.
    const textOf = (isScript: boolean) => responses.filter(({ url }) => url.endsWith(".js") === isScript).map(({ text }) => text).join("\n");
    const [scripts, received] = [textOf(true), textOf(false)];
    const token = /"token":"(ds_[^"]+)"/.exec(received)?.[1] ?? "";
    const readable = `${received}\n${scopeIn(token)}`;
    expect(planted(tenant).filter((name) => readable.includes(name)).length).toBeGreaterThan(1);
    expect(others.filter((name) => readable.includes(name))).toEqual([]);
    expect(others.filter((name) => !(NAMES as readonly string[]).includes(name) && scripts.includes(name))).toEqual([]);
  });
});

/** What a page gets for a query with a token: a status with the code of its error, or the failure that browsers report without CORS headers. */
async function fetched(page: Page, token: string, path: string, body: object | null): Promise<string> {
  return await page.evaluate(
    async ([url, authorization, text]) => {
      try {
        const init = text === null ? {} : { method: "POST", body: text };
        const response = await fetch(url, { ...init, headers: { authorization, ...(text !== null && { "content-type": "application/json" }) } });
        const answer = (await response.json()) as { code?: string };
        return `${response.status} ${answer.code ?? JSON.stringify(answer)}`;
      } catch (error) {
        return String(error);
      }
    },
    [product.statsUrl + path, `Bearer ${token}`, body === null ? null : JSON.stringify(body)] as const,
  );
}

/** The same without a browser, from a page of this origin: status, code, and the origin that may read the answer. */
async function sent(token: string, path: string, body: object | null, origin: string) {
  const headers = { authorization: `Bearer ${token}`, origin, "content-type": "application/json" };
  const response = await fetch(product.statsUrl + path, { headers, ...(body !== null && { method: "POST", body: JSON.stringify(body) }) });
  const { code = null } = (await response.json()) as { code?: string };
  return [response.status, code, response.headers.get("access-control-allow-origin")];
}

async function tokenOf(tenant: Tenant): Promise<string> {
  const response = await fetch(`${product.url}/analytics-token`, { headers: { cookie: `tenant=${tenant}` } });
  return ((await response.json()) as { token: string }).token;
}

const BLUE = { filterGroups: [{ filters: [{ fieldName: "company_id", operator: "equals", value: "blue" }] }] };
const UNREADABLE = "TypeError: Failed to fetch";

describe("the token of acme", () => {
  test("opens no data of others, no statistics and no export", async () => {
    const token = await tokenOf("acme");
    const { page } = await signedIn("acme");
    expect(await fetched(page, token, "/v1/query/countEvents", {})).toBe(`200 {"answer":${eventsOf("acme").length}}`);
    expect(await fetched(page, token, "/v1/query/countEvents", BLUE)).toBe("403 forbidden_by_scope");
    expect(await fetched(page, token, "/v1/query/trend", { breakdown: { fields: ["company_id"] } })).toBe("403 forbidden_by_scope");
    expect(await fetched(page, token, "/v1/query/searchEvents", {})).toBe("403 forbidden_by_scope");
    // These routes have no CORS headers: the page cannot even read the refusal.
    for (const [path, body] of [["/v1/stats", null], ["/v1/exports/events", {}]] as const) {
      expect(await fetched(page, token, path, body)).toBe(UNREADABLE);
      expect(await sent(token, path, body, product.url)).toEqual([403, "forbidden_by_scope", null]);
    }
  });

  test("is for pages of the product: others get no CORS headers", async () => {
    const token = await tokenOf("acme");
    expect(await sent(token, "/v1/query/countEvents", {}, product.url)).toEqual([200, null, product.url]);
    expect(await sent(token, "/v1/query/countEvents", {}, "https://evil.example")).toEqual([403, "origin_not_allowed", null]);
    const { page } = await signedIn("acme");
    // The same server by another name is another origin.
    await page.goto(`${product.url.replace("127.0.0.1", "localhost")}/login/nobody`);
    expect(await fetched(page, token, "/v1/query/countEvents", {})).toBe(UNREADABLE);
  });

  test("is for those who have signed in", async () => {
    const statuses = await Promise.all(["/analytics-token", "/login/nobody"].map(async (path) => (await fetch(product.url + path)).status));
    expect(statuses).toEqual([401, 404]);
  });
});
