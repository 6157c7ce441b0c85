import type { Browser } from "playwright-core";
import { launchChromium } from "../../test/browser/chromium.js";
import { TOKENS } from "../load/batch.js";
import { TRAFFIC_DAYS } from "../traffic.js";
import { serve } from "./serve.js";

const VIEWS = ["Overview", "Trends", "Funnels", "Retention", "Paths", "Events", "People", "Companies", "Revenue", "Privacy requests", "Store"];
const ROUND_COUNT = 3;
const [OWNER = ""] = TOKENS;
/** The last thirty days that there are. */
const QUERY = `period=2026-03-02..${TRAFFIC_DAYS.last}&zone=UTC`;

/**
 * The page over a store, in a browser beside its server: from opening it, and from a click on each view, until nothing is being asked any more, in ms.
 * Once with a server that was just started, then the least of some rounds with browsers that have seen nothing yet.
 */
export async function pageFigures(directory: string) {
  const server = await serve(directory, TOKENS);
  const browser = await launchChromium();
  try {
    const first = await round(browser, server.port);
    const rounds = [];
    for (let at = 0; at < ROUND_COUNT; at += 1) rounds.push(await round(browser, server.port));
    const figures: Record<string, number> = {};
    for (const [at, name] of ["Opened", ...VIEWS].entries()) {
      const word = name.replaceAll(/ (\w)/g, (_, letter: string) => letter.toUpperCase());
      figures[`page${word}FirstMs`] = first[at] ?? NaN;
      figures[`page${word}Ms`] = Math.min(...rounds.map((times) => times[at] ?? NaN));
    }
    return figures;
  } finally {
    await browser.close();
    await server.stop();
  }
}

async function round(browser: Browser, port: number): Promise<number[]> {
  const context = await browser.newContext({ timezoneId: "UTC", locale: "en-US", viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  const startedMs = performance.now();
  await page.goto(`http://127.0.0.1:${port}/?${QUERY}#token=${OWNER}`);
  await page.waitForSelector("main#view .panel");
  await page.waitForSelector("[aria-busy=true]", { state: "detached" });
  const times = [performance.now() - startedMs];
  // The overview is there already: it is clicked when it was left.
  for (const name of [...VIEWS.slice(1), "Overview"]) {
    const ms = await page.evaluate(async (wanted) => {
      const link = [...document.querySelectorAll<HTMLElement>("nav a")].find(({ textContent }) => textContent?.trim() === wanted);
      if (link === undefined) throw new Error(`no link ${wanted}`);
      const clickedMs = performance.now();
      link.click();
      // Two frames: the view is drawn, and has asked. No function here has a name, which what compiles this would note where the browser has no such note.
      for (let frames = 0; frames < 2 || document.querySelector("[aria-busy=true]") !== null || document.querySelector("h1")?.textContent?.includes(wanted) !== true; frames += 1)
        await new Promise(requestAnimationFrame);
      return performance.now() - clickedMs;
    }, name);
    if (name === "Overview") times.splice(1, 0, ms);
    else times.push(ms);
  }
  await context.close();
  return times;
}
