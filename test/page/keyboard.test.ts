import { join } from "node:path";
import type { Browser } from "playwright-core";
import type { Daybook } from "daybook";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { sharedChromium } from "../browser/chromium.js";
import { sliceOf } from "../oracle/settings.js";
import { beyondKeys, mouseDeeds, noteListeners } from "./keyboard/deeds.js";
import { openPage, type OpenedPage } from "./opened-page.js";
import { PICTURES } from "./picture-addresses.js";
import { OWNER, servePage, type ServedPage } from "./serve-page.js";
import { openShop } from "./shop.js";

let daybook: Daybook;
let served: ServedPage;
let browser: Browser;
let opened: OpenedPage;

beforeAll(async () => {
  [daybook, browser] = await Promise.all([openShop(Date.now(), 60), sharedChromium()]);
  [served, opened] = await Promise.all([servePage(join(inject("programs"), "page"), daybook), openPage(browser)]);
  await opened.page.addInitScript(noteListeners);
  await opened.page.goto(`${served.url}?project=shop&period=90d#token=${OWNER.token}`);
  await opened.settled();
});

afterAll(async () => {
  await opened.page.context().close();
  await served.close();
  await daybook.close();
});

describe("keys alone reach and do all that a mouse can", () => {
  test("around every view", async () => {
    await opened.page.evaluate(() => document.querySelector<HTMLElement>(".skip")?.focus());
    expect((await mouseDeeds(opened.page, ".side")).length).toBeGreaterThan(10);
    expect(await beyondKeys(opened.page, ".side")).toEqual([]);
  });

  const shown = Object.entries(PICTURES).filter(([name]) => name !== "overview-empty" && name !== "overview-slip");
  test.each(sliceOf(shown, 9))("in %s", async (_, { address, act }) => {
    const { page, settled, turnTo } = opened;
    await turnTo(address);
    await act?.(page);
    await settled();
    const root = (await page.locator("dialog").count()) > 0 ? "dialog" : "main#view";
    expect((await mouseDeeds(page, root)).length).toBeGreaterThan(root === "dialog" ? 1 : 0);
    await page.evaluate((within) => document.querySelector<HTMLElement>(within)?.focus(), root);
    expect(await beyondKeys(page, root)).toEqual([]);
    if (root !== "dialog") return;
    await page.keyboard.press("Escape");
    await page.waitForSelector("dialog", { state: "detached" });
  });

  test("at a plot: arrows read each place that the pointer reads", async () => {
    const { page, turnTo } = opened;
    await turnTo("project=shop&period=7d");
    const plot = page.locator(".plot[tabindex]").first();
    const title = () => plot.locator(".tooltip-title").innerText();
    await plot.focus();
    await page.keyboard.press("Home");
    const byKeys = [await title()];
    for (let at = 1; at < 7; at += 1) {
      await page.keyboard.press("ArrowRight");
      byKeys.push(await title());
    }
    await page.keyboard.press("Escape");
    await plot.locator(".tooltip").waitFor({ state: "detached" });
    const box = await plot.locator(".u-over").boundingBox();
    if (box === null) throw new Error("expected a plot");
    const byPointer = [];
    for (let at = 0; at < 7; at += 1) {
      await page.mouse.move(box.x + 1 + (at / 6) * (box.width - 2), box.y + box.height / 2);
      byPointer.push(await title());
    }
    expect(byKeys).toEqual(byPointer);
    expect(new Set(byKeys).size).toBe(7);
  });
});
