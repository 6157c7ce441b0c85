import { afterAll, beforeAll, beforeEach, expect, inject, test } from "vitest";
import type { Page } from "playwright-core";
import type { Daybook } from "daybook";
import { sharedChromium } from "../browser/chromium.js";
import { openShop } from "../page/shop.js";
import { bundled } from "./bundled.js";
import { EmbeddingSite, READER } from "./embedding-site.js";

/** A program of somebody who uses Vue: what it shows can be changed from outside. */
const PROGRAM = `
import { createApp, reactive } from "vue/dist/vue.esm-bundler.js";

const shown = reactive({ dateRange: "30d", query: { trend: {} }, items: [{ show: "list", query: { trend: { breakdown: { fields: ["device"] } } } }] });
globalThis.change = (changed) => Object.assign(shown, changed);
globalThis.errors = [];
const app = createApp({
  setup: () => ({ shown, token: "${READER}", onError: ({ detail }) => errors.push(detail.code) }),
  template: \`
    <daybook-number heading="Events" :query.prop="shown.query" :token.prop="token" :date-range="shown.dateRange" @daybook-error="onError"></daybook-number>
    <daybook-board :items.prop="shown.items" :token.prop="token"></daybook-board>\`,
});
app.config.compilerOptions.isCustomElement = (tag) => tag.startsWith("daybook-");
app.mount("#root");
`;

let daybook: Daybook;
let site: EmbeddingSite;
let program = "";
let page: Page;

beforeAll(async () => {
  daybook = await openShop(Date.now(), 60);
  site = await EmbeddingSite.of(daybook, inject("programs"));
  program = await bundled(PROGRAM, inject("programs"));
});

afterAll(async () => {
  await site.close();
  await daybook.close();
});

beforeEach(async () => {
  site.reset();
  page = await (await sharedChromium()).newPage();
  return async () => await page.close();
});

/** As long as a busy machine needs. */
const eventually = <T>(read: () => Promise<T>) => expect.poll(read, { timeout: 15_000 });
const total = () => page.locator("daybook-number [data-figure=total]").getAttribute("data-exact");
const change = (shown: object) => page.evaluate((changed) => Reflect.apply(Reflect.get(globalThis, "change") as (changed: object) => void, null, [changed]), shown);

test("Vue sets properties of elements, changes them, and hears their errors", async () => {
  site.body = '<div id="root"></div>';
  await page.goto(`${site.url}/page`);
  await page.addScriptTag({ type: "module", content: program });
  await eventually(() => page.locator("daybook-list tbody tr").count()).toBeGreaterThan(1);
  expect(Number(await total())).toBeGreaterThan(0);
  await change({ dateRange: "2020-01-01..2020-01-02" });
  await eventually(total).toBe("0");
  await change({ query: { funnel: { steps: [] } } });
  await eventually(() => page.evaluate(() => Reflect.get(globalThis, "errors") as string[])).toEqual(["invalid_attribute"]);
});

test("elements take properties that were set before they were defined", async () => {
  site.body = '<div id="root"></div>';
  site.script = "";
  await page.goto(`${site.url}/page`);
  await page.addScriptTag({ type: "module", content: program });
  await page.locator("daybook-board").waitFor({ state: "attached" });
  await page.addScriptTag({ type: "module", url: "/embed.js" });
  await eventually(() => page.locator("daybook-list tbody tr").count()).toBeGreaterThan(1);
  expect(Number(await total())).toBeGreaterThan(0);
});
