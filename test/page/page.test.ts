import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import type { Daybook } from "daybook";
import { sharedChromium } from "../browser/chromium.js";
import { longTest } from "../long-test.js";
import { sliceOf } from "../oracle/settings.js";
import { openPage, type OpenedPage } from "./opened-page.js";
import { PICTURES } from "./picture-addresses.js";
import { OWNER, VIEWER, servePage, type ServedPage } from "./serve-page.js";
import { PLANTED, openShop } from "./shop.js";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const VISITORS = 250;

let daybook: Daybook;
let served: ServedPage;
let browser: Browser;
let page: Page;
let settled: OpenedPage["settled"];
let turnTo: OpenedPage["turnTo"];
/** What the browser complained of, and everything it asked for. */
const complaints: string[] = [];
const asked: string[] = [];

beforeAll(async () => {
  [daybook, browser] = await Promise.all([openShop(Date.now(), VISITORS), sharedChromium()]);
  served = await servePage(join(inject("programs"), "page"), daybook);
  ({ page, settled, turnTo } = await newPage());
  await page.goto(`${served.url}#token=${OWNER.token}`);
  await settled();
});

afterAll(async () => {
  await page.context().close();
  await served.close();
  await daybook.close();
});

async function newPage(): Promise<OpenedPage> {
  const opened = await openPage(browser);
  await opened.page.addInitScript(() => {
    const shifts: number[] = [];
    Object.assign(globalThis, { shifts });
    new PerformanceObserver((list) => shifts.push(...list.getEntries().map((entry) => Number(Reflect.get(entry, "value"))))).observe({
      type: "layout-shift",
      buffered: true,
    });
  });
  opened.page.on("console", (message) => void (message.type() === "error" && complaints.push(message.text())));
  opened.page.on("pageerror", (error) => complaints.push(String(error)));
  opened.page.on("request", (request) => asked.push(request.url()));
  return opened;
}

async function open(address: string): Promise<void> {
  await page.goto(`${served.url}?${address}`);
  await settled();
}

/** A figure of a panel, as whoever hovers over it reads it. */
async function figure(title: string, name: string): Promise<number> {
  const exact = await page.locator(`[data-panel="${title}"] [data-figure="${name}"]`).first().getAttribute("data-exact");
  return Number((exact ?? "").replaceAll(/[^\d.-]/g, ""));
}

interface Axe {
  run(context: object, options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
}

/**
 * What axe finds within `root`, in everything where it is the document, but for colors. The bar of tools is looked at where the document is: it is
 * the same over every view, with the names of all zones.
 */
async function flaws(root = "html"): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(AXE);
  return await page.evaluate(async (within) => {
    const axe = Reflect.get(globalThis, "axe") as Axe;
    const rules = { "color-contrast": { enabled: false } };
    const context = within === "html" ? document : { include: [within], exclude: [".tool-bar"] };
    const { violations } = await axe.run(context, { resultTypes: ["violations"], iframes: false, preload: false, rules });
    return violations.flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ html }) => `${id}: ${html.slice(0, 160)}`));
  }, root);
}

/** Texts that axe finds hard to see. Of those that look alike, by what they and those around them are, one is looked at in each of the colors. */
async function hardToSee(colors: "light" | "dark"): Promise<string[]> {
  await page.emulateMedia({ colorScheme: colors });
  return await page.evaluate(async (scheme) => {
    const axe = Reflect.get(globalThis, "axe") as Axe;
    const seen: Set<string> = Reflect.get(globalThis, "looks") ?? new Set();
    Object.assign(globalThis, { looks: seen });
    const lookOf = (element: Element, depth = 6): string => {
      const states = ["aria-checked", "aria-current", "disabled"].map((name) => element.getAttribute(name) ?? "");
      const own = `${element.tagName}.${element.getAttribute("class") ?? ""} ${states.join()}`;
      return depth === 0 || element.parentElement === null ? own : `${own} in ${lookOf(element.parentElement, depth - 1)}`;
    };
    const hasText = (element: Element) => [...element.childNodes].some((node) => node instanceof Text && node.data.trim() !== "");
    const texts = [...document.querySelectorAll("body *")].filter((element) => hasText(element) && element.checkVisibility());
    const fresh = texts.filter((element) => {
      const look = `${scheme} ${lookOf(element)}`;
      return !seen.has(look) && seen.add(look);
    });
    if (fresh.length === 0) return [];
    const options = { resultTypes: ["violations"], iframes: false, preload: false, runOnly: ["color-contrast"] };
    const { violations } = await axe.run({ include: fresh }, options);
    return violations.flatMap(({ nodes }) => nodes.map(({ html }) => `${scheme}: ${html.slice(0, 160)}`));
  }, colors);
}

describe("every view", () => {
  test.each(sliceOf(Object.entries(PICTURES).filter(([, { isVariant }]) => isVariant !== true), 8))(
    "%s is shown without complaints, axe finds nothing in light and dark, and it fits a small screen",
    async (name, { address, act }) => {
      complaints.length = 0;
      await turnTo(address);
      await act?.(page);
      await settled();
      expect(await page.locator(".notice.error").allInnerTexts()).toEqual([]);
      const root = name === "overview" ? "html" : (await page.locator("dialog").count()) > 0 ? "dialog" : "main#view";
      expect(await flaws(root)).toEqual([]);
      expect([...(await hardToSee("dark")), ...(await hardToSee("light"))]).toEqual([]);
      await page.setViewportSize({ width: 360, height: 740 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
      await page.setViewportSize({ width: 1280, height: 900 });
      expect(complaints).toEqual([]);
      if (act !== undefined) await page.keyboard.press("Escape");
      await page.waitForSelector("dialog", { state: "detached" });
    },
  );
});

describe("the address", () => {
  test("is filled where it is silent: the busiest project, the reader's zone, and a time that has events", async () => {
    await page.goto(served.url);
    await settled();
    expect(page.url()).toBe(`${served.url}?project=shop&period=30d&zone=Europe/Berlin`);
    await open("project=journal");
    expect(page.url()).toBe(`${served.url}?project=journal&period=all&zone=Europe/Berlin`);
    expect(await figure("Visitors and visits", "visitors")).toBe(1);
  });

  longTest("follows a click on a row, and back, forward and a copied link show the same picture", async () => {
    await open("project=shop&zone=Europe/Berlin&period=90d");
    const all = await figure("Visitors and visits", "visitors");
    await page.locator('[data-panel="Places"] button.row-label', { hasText: "Germany" }).click();
    await page.waitForSelector(".chip");
    await settled();
    expect(await page.locator(".chip-text").allInnerTexts()).toEqual(["Country is Germany"]);
    const some = await figure("Visitors and visits", "visitors");
    expect(some).toBeLessThan(all);
    await page.goBack();
    await settled();
    expect([await page.locator(".chip").count(), await figure("Visitors and visits", "visitors")]).toEqual([0, all]);
    await page.goForward();
    await settled();
    expect([await page.locator(".chip").count(), await figure("Visitors and visits", "visitors")]).toEqual([1, some]);
    const copied = await newPage();
    const other = copied.page;
    await other.goto(`${page.url()}#token=${OWNER.token}`);
    await copied.settled();
    for (const shown of [page, other]) await shown.waitForSelector('[data-panel="Revenue"]');
    expect(other.url()).toBe(page.url());
    expect(await other.locator("main").innerText()).toBe(await page.locator("main").innerText());
    await other.context().close();
  });
});

describe("the token", () => {
  longTest("is in the session's storage and nowhere else, and gone after signing out", async () => {
    await open("project=shop");
    const places = await page.evaluate(() => ({
      session: Object.values({ ...sessionStorage }),
      local: JSON.stringify({ ...localStorage }),
      cookies: document.cookie,
      text: document.documentElement.outerHTML,
      address: location.href,
      history: JSON.stringify(history.state),
    }));
    expect(places.session).toEqual([OWNER.token]);
    expect(JSON.stringify({ ...places, session: [] })).not.toContain(OWNER.token);
    expect(asked.filter((url) => url.includes("sk_") && !url.includes("#"))).toEqual([]);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForSelector(".sign-in");
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    expect([...(await flaws()), ...(await hardToSee("light"))]).toEqual([]);
    await page.getByLabel("Token").fill("sk_wrong_0123456789abcdefgh");
    await page.getByLabel("Token").press("Enter");
    await page.waitForSelector(".form-error");
    await page.getByLabel("Token").fill(OWNER.token);
    await page.getByLabel("Token").press("Enter");
    await settled();
  });

  longTest("is not ended by what is answered late to the one before", async () => {
    const held: (() => void)[] = [];
    served.answerWith(({ headers }, outgoing) => {
      if (headers.authorization === `Bearer ${OWNER.token}`) return false;
      held.push(() => outgoing.writeHead(401).end("{}"));
      return true;
    });
    const anew = await newPage();
    const other = anew.page;
    await other.goto(`${served.url}?project=shop#token=sk_before_0123456789abcdefgh`);
    await expect.poll(() => held.length).toBeGreaterThan(0);
    // What changes something is waited for to its end, so it can outlive its page.
    await other.evaluate(() => void (AbortController.prototype.abort = () => undefined));
    await other.evaluate((token) => void (location.hash = `token=${token}`), OWNER.token);
    await other.waitForSelector("[data-figure=visitors]");
    for (const answer of held) answer();
    await other.evaluate(() => new Promise((resolve) => setTimeout(resolve, 50)));
    served.answerWith(null);
    expect(await other.locator(".sign-in").count()).toBe(0);
    expect(await other.evaluate(() => Object.values({ ...sessionStorage }))).toEqual([OWNER.token]);
    await other.context().close();
  });

  test("of a project that reads figures alone shows the views of figures", async () => {
    const opened = await newPage();
    const viewer = opened.page;
    await viewer.goto(`${served.url}?view=people#token=${VIEWER.token}`);
    await opened.settled();
    expect(await viewer.locator("nav a").allInnerTexts()).toEqual(
      ["Overview", "Trends", "Funnels", "Retention", "Paths"].map((name) => expect.stringContaining(name)),
    );
    expect(await viewer.locator("h1").innerText()).toBe("Overview");
    await viewer.context().close();
  });
});

describe("what strangers sent", () => {
  test("is text, in lists and in the event itself", async () => {
    await open("view=events&project=shop");
    await page.getByRole("button", { name: PLANTED }).click();
    await page.waitForSelector("dialog .facts");
    expect(await page.locator("dialog h2").innerText()).toBe(PLANTED);
    expect(await page.locator("dialog").innerText()).toContain("javascript:alert(1)");
    expect(await page.locator("dialog a[href^='javascript']").count()).toBe(0);
    expect(await page.evaluate(() => [Reflect.get(globalThis, "planted"), document.querySelectorAll("img").length])).toEqual([undefined, 0]);
  });
});

describe("the page", () => {
  longTest("hears of what is stored, and moves nothing that one reads", async () => {
    await open("view=events&project=shop");
    const first = await page.locator(".event-rows .cell-button").first().innerText();
    await daybook.ingest([{ name: "Just now", project: "shop", anonymousId: "v1" }]);
    const chip = page.getByRole("button", { name: "1 new event" });
    await chip.waitFor();
    expect(await page.locator(".event-rows .cell-button").first().innerText()).toBe(first);
    await chip.click();
    expect(await page.locator(".event-rows .cell-button").first().innerText()).toBe("Just now");
  });

  longTest("says that the server has too much to do, and asks again by itself", async () => {
    let refused = 0;
    served.answerWith((incoming, outgoing) => {
      refused += 1;
      if (incoming.url === "/v1/token") outgoing.end(JSON.stringify({ organization: "default", project: null, role: "owner", scopes: ["*"] }));
      else if (incoming.url === "/v1/projects") outgoing.end(JSON.stringify({ projects: ["shop"] }));
      else outgoing.writeHead(503, { "retry-after": "1" }).end(JSON.stringify({ code: "overloaded", detail: "too much" }));
      return true;
    });
    await page.goto(`${served.url}?view=retention`);
    await page.waitForSelector('[data-error="overloaded"]');
    expect(await page.locator('[data-error="overloaded"]').innerText()).toContain("Retrying in 1 s");
    served.answerWith(null);
    await page.waitForSelector(".triangle");
    expect(refused).toBeGreaterThan(2);
  });

  longTest("reserves the place of what will come: nothing jumps", async () => {
    await open("project=shop");
    expect(await page.evaluate(() => (Reflect.get(globalThis, "shifts") as number[]).reduce((sum, shift) => sum + shift, 0))).toBeLessThan(0.02);
  });

  test("is used by keyboard: the way to the numbers, the arrows of a plot, Escape", async () => {
    await open("project=shop");
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Skip to the content");
    await page.locator(".plot").first().focus();
    await page.keyboard.press("End");
    await page.waitForSelector(".tooltip");
    expect(await page.locator(".plot [aria-live]").first().innerText()).toMatch(/Visitors \d+/);
    await page.getByRole("button", { name: "Query and downloads of Pages" }).press("Enter");
    await page.waitForSelector("dialog[open]");
    expect(await page.locator("dialog pre").last().innerText()).toContain("Bearer $TOKEN");
    await page.keyboard.press("Escape");
    await page.waitForSelector("dialog", { state: "detached" });
    expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("Query and downloads of Pages");
  });

  longTest("erases a person only once their name is typed", async () => {
    await open("view=people&project=shop&period=all&people.person=u27");
    await page.getByRole("button", { name: "Erase…" }).click();
    const deed = page.getByRole("button", { name: "Erase permanently" });
    expect(await page.locator("dialog").innerText()).toContain("u27");
    expect(await deed.isDisabled()).toBe(true);
    await page.locator("dialog input").fill("u28");
    expect(await deed.isDisabled()).toBe(true);
    await page.locator("dialog input").fill("u27");
    await deed.click();
    await page.waitForSelector('[data-panel="Requests"] .status.done');
    await expect(daybook.identityProfile({ userId: "u27" })).rejects.toMatchObject({ code: "identity_not_found" });
  });
});
