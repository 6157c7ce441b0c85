import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { servePage } from "../../examples/browser/serve.js";
import { sharedChromium } from "../browser/chromium.js";

let context: BrowserContext;
let served: Awaited<ReturnType<typeof servePage>>;
beforeAll(async () => {
  [served, context] = await Promise.all([servePage(0), sharedChromium().then((browser) => browser.newContext())]);
});
afterAll(async () => {
  await context.close();
  served.close();
});

async function open(): Promise<Page> {
  const page = await context.newPage();
  await page.goto(served.url);
  return page;
}

const views = (page: Page) => page.locator("#views").textContent();
const events = (page: Page) => page.locator("#events tr").allInnerTexts();
const polled = { timeout: 10_000 };

test("the page keeps its own counts over a reload, and over the tab that had the store", async () => {
  const first = await open();
  await expect.poll(() => views(first), polled).toBe("1");
  await first.getByRole("button", { name: "Tea" }).click();
  await first.reload();
  await expect.poll(() => views(first), polled).toBe("2");
  expect(await events(first)).toEqual(["page_view\t2", "Tea\t1"]);
  expect(await first.locator("#days").textContent()).toMatch(/^[12]$/);

  const second = await open();
  await expect.poll(() => views(second), polled).toBe("3");
  await second.getByRole("button", { name: "Coffee" }).click();
  await expect.poll(() => events(first), polled).toContain("Coffee\t1");
  await first.close();
  await second.getByRole("button", { name: "Coffee" }).click();
  await expect.poll(() => events(second), polled).toContain("Coffee\t2");
});
