import { afterAll, beforeAll, expect, inject, test } from "vitest";
import type { Daybook } from "daybook";
import { DaybookBoard, DaybookChart, DaybookNumber } from "daybook/react";
import { sharedChromium } from "../browser/chromium.js";
import { openShop } from "../page/shop.js";
import { bundled } from "./bundled.js";
import { EmbeddingSite, READER } from "./embedding-site.js";

/** A program of somebody who uses React: what it shows can be changed from outside. */
const PROGRAM = `
import { createElement as h, useState } from "react";
import { createRoot } from "react-dom/client";
import { flushSync } from "react-dom";
import { DaybookNumber, DaybookBoard } from "daybook/react";

function App() {
  const [props, set] = useState({ token: "${READER}", dateRange: "30d" });
  globalThis.change = (changed) => flushSync(() => set({ ...props, ...changed }));
  globalThis.errors ??= [];
  const onError = ({ detail }) => errors.push(detail.code);
  return h("div", null,
    h(DaybookNumber, { ...props, className: "sum", style: { "--daybook-accent": "red" }, heading: "Events", query: { trend: {} }, onError }),
    h(DaybookBoard, { token: props.token, items: [{ show: "list", query: { trend: { breakdown: { fields: ["device"] } } } }] }));
}
createRoot(document.querySelector("#root")).render(h(App));
`;

let daybook: Daybook;
let site: EmbeddingSite;
let program = "";

beforeAll(async () => {
  daybook = await openShop(Date.now(), 60);
  site = await EmbeddingSite.of(daybook, inject("programs"));
  program = await bundled(PROGRAM, inject("programs"));
});

afterAll(async () => {
  await site.close();
  await daybook.close();
});

test("components set properties of their elements, change them, and pass on errors", async () => {
  const context = await (await sharedChromium()).newContext();
  const page = await context.newPage();
  const total = page.locator("daybook-number.sum [data-figure=total]");
  site.body = '<div id="root"></div>';
  await page.goto(`${site.url}/page`);
  await page.addScriptTag({ type: "module", content: program });
  await total.waitFor();
  expect(await page.locator("daybook-list tbody tr").count()).toBeGreaterThan(1);
  expect(await page.locator("daybook-number").getAttribute("style")).toContain("--daybook-accent");
  const change = (props: object) => page.evaluate((changed) => (Reflect.get(globalThis, "change") as (changed: object) => void)(changed), props);
  // An equal list of items does not make the board anew.
  await page.locator("daybook-list").evaluate((list) => Reflect.set(globalThis, "listBefore", list));
  await change({ dateRange: "2020-01-01..2020-01-02" });
  await expect.poll(() => total.getAttribute("data-exact"), { timeout: 15_000 }).toBe("0");
  await change({ dateRange: undefined });
  await expect.poll(() => total.getAttribute("data-exact"), { timeout: 15_000 }).not.toBe("0");
  expect(await page.locator("daybook-number").getAttribute("date-range")).toBeNull();
  expect(await page.locator("daybook-list").evaluate((list) => list === Reflect.get(globalThis, "listBefore"))).toBe(true);
  await change({ token: undefined });
  await expect.poll(() => page.evaluate(() => Reflect.get(globalThis, "errors") as string[]), { timeout: 15_000 }).toEqual(["invalid_attribute"]);
  await context.close();
});

test("their types are those of the queries", () => {
  const chart = DaybookChart({ query: { trend: { interval: "week", lastDays: 30 } }, type: "stacked-bars", tokenUrl: "/token" });
  expect([chart.type, chart.props]).toMatchObject(["daybook-chart", {}]);
  // @ts-expect-error a chart shows a trend
  DaybookChart({ query: { funnel: { steps: [] } } });
  // @ts-expect-error no such interval
  DaybookNumber({ query: { trend: { interval: "fortnight" } } });
  // @ts-expect-error no such element
  DaybookBoard({ items: [{ show: "pie", query: { trend: {} } }] });
});
