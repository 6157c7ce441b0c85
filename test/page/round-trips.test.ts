import { join } from "node:path";
import type { Browser, Route } from "playwright-core";
import type { Daybook } from "daybook";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { sharedChromium } from "../browser/chromium.js";
import { sliceOf } from "../oracle/settings.js";
import { drawn, isQuery, openPage } from "./opened-page.js";
import { OWNER, servePage, type ServedPage } from "./serve-page.js";
import { openShop } from "./shop.js";

let daybook: Daybook;
let served: ServedPage;
let browser: Browser;

beforeAll(async () => {
  [daybook, browser] = await Promise.all([openShop(Date.now(), 60), sharedChromium()]);
  served = await servePage(join(inject("programs"), "page"), daybook);
});

afterAll(async () => {
  await served.close();
  await daybook.close();
});

/** How often the page waits for the server, from its script on, until the figures are there: what it asks at once is one time. */
async function roundTrips(address: string): Promise<number> {
  const { page } = await openPage(browser);
  const held: Route[] = [];
  await page.route("**", async (route) => {
    if (isQuery(route.request())) held.push(route);
    else await route.continue();
  });
  await page.goto(`${served.url}${address}#token=${OWNER.token}`);
  await page.waitForSelector("#page > *");
  let count = 0;
  do {
    await expect.poll(() => held.length).toBeGreaterThan(0);
    await drawn(page);
    count += 1;
    const answers = held.splice(0).map(async (route) => {
      await route.continue();
      // None where the page waits for it no longer.
      await (await route.request().response())?.finished();
    });
    await Promise.all(answers);
    await drawn(page);
  } while ((await page.locator("[data-figure=visitors]").count()) === 0);
  await page.context().close();
  return count;
}

test.each(sliceOf([
  ["any project", "", 2],
  ["any project in a time", "?period=90d", 2],
  ["a project", "?project=shop", 1],
  ["a project that has nothing recent", "?project=journal", 2],
  ["a project in a time, as links have it", "?project=shop&period=90d&zone=UTC", 1],
], 5))("the figures of %s need two round trips to the server at most", async (_, address, count) => {
  expect(await roundTrips(address)).toBe(count);
});
