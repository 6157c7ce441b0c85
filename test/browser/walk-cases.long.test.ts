import { afterAll, beforeAll, expect, test } from "vitest";
import type { Person } from "./walk/people.js";
import { Random } from "./walk/random.js";
import { Walker } from "./walk/walker.js";
import { openWorld, type World } from "./walk/world.js";

/** Cases that a walk meets too seldom to show them. */
let world: World;
beforeAll(async () => {
  world = await openWorld(Date.parse("2026-03-02T09:00:00.000Z"));
});
afterAll(async () => {
  await world.close();
});

const FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:132.0) Gecko/20100101 Firefox/132.0";
const person = (number: number): Person => ({
  number, address: `198.51.100.${number}`, kind: { text: FIREFOX, device: "desktop", os: "Windows", browser: "Firefox" },
  isBot: false, consent: false, blocked: false, isTwin: false, user: null,
});

async function open(number: number): Promise<{ walker: Walker; page: Walker["tabs"][number]["page"] }> {
  const walker = new Walker(world, person(number), new Random(number), number, undefined);
  await walker.open(world.browser);
  const [tab] = walker.tabs;
  if (tab === undefined) throw new Error("no tab is open");
  return { walker, page: tab.page };
}

const guest = (number: number) => world.proxy.guests.get(number);
const figures = async () => await world.ask<{ readonly figures: { readonly views: number } }>("/v1/projects/site/insights/web", {});

test("what is kept while the server is out of reach outlives an event of a hidden page, whose arrival nobody knows of", async () => {
  const { walker, page } = await open(1);
  walker.meet("cut");
  await page.goto(`${world.site.url}/docs`);
  await expect.poll(() => page.evaluate("localStorage.length")).toBe(1);
  await page.evaluate('walkHide(true), daybook.track("Heard")');
  await expect.poll(() => guest(1)?.failed.size).toBe(2);
  // What a browser sends again by itself after a break has been sent by then.
  await page.evaluate("new Promise((later) => setTimeout(later, 300))");
  walker.meet("pass");
  await page.goto(`${world.site.url}/blog`);
  await expect.poll(async () => (await figures()).figures.views, { timeout: 3_000 }).toBe(2);
});

test("a visit is of the site that led to it, also if its page calls the tracker before that has loaded", async () => {
  const startDate = "2026-03-03";
  world.setNow(Date.parse(`${startDate}T09:00:00.000Z`));
  // Of events of one moment the greater id is the later one, and ids are random: one visit alone might be right by chance.
  const numbers = [11, 12, 13, 14, 15, 16, 17, 18];
  for (const number of numbers) {
    const { walker, page } = await open(number);
    walker.served.early = true;
    await page.goto(`${world.site.url}/pricing`, { referer: "https://www.google.com/" });
    await expect.poll(() => guest(number)?.answered.size).toBe(2);
  }
  const { sources } = await world.ask<{ readonly sources: unknown }>("/v1/projects/site/insights/web", { start_date: startDate });
  expect(sources).toEqual([{ value: "google.com", visitors: numbers.length, visits: numbers.length }]);
});
