import type { Browser, BrowserContextOptions, Page, Request } from "playwright-core";
import type { ServedPage } from "./serve-page.js";

const LOOK: BrowserContextOptions = { timezoneId: "Europe/Berlin", locale: "en-GB", viewport: { width: 1280, height: 900 } };

/** A page of its own, which knows what it waits for. */
export interface OpenedPage {
  readonly page: Page;
  /** Waits until nothing is being asked any more, and all of it is drawn. */
  settled(): Promise<void>;
  /** Shows another picture without loading the page anew, as back and forward do. */
  turnTo(address: string): Promise<void>;
}

/** Opens a page of a browser; nothing is loaded in it yet. */
export async function openPage(browser: Browser, look: BrowserContextOptions = {}): Promise<OpenedPage> {
  const context = await browser.newContext({ ...LOOK, ...look });
  const page = await context.newPage();
  const underWay = new Set<Request>();
  page.on("request", (request) => void (isQuery(request) && underWay.add(request)));
  page.on("requestfinished", (request) => underWay.delete(request));
  page.on("requestfailed", (request) => underWay.delete(request));
  const settled = async () => {
    await page.waitForSelector("main#view .panel");
    do {
      await page.waitForSelector("[aria-busy=true]", { state: "detached" });
      await drawn(page);
    } while (underWay.size > 0 || (await page.locator("[aria-busy=true]").count()) > 0);
  };
  const turnTo = async (address: string) => {
    await page.evaluate((search) => {
      history.pushState(null, "", `?${search}`);
      dispatchEvent(new PopStateEvent("popstate"));
    }, address);
    await settled();
  };
  return { page, settled, turnTo };
}

/** Whether a request asks the API, and is answered at once: changes are waited for as long as the page stands. */
export function isQuery(request: Request): boolean {
  const { pathname } = new URL(request.url());
  return /^\/(?:v1|analytics|search-events)\b/.test(pathname) && !pathname.endsWith("/changes");
}

/** What was set is drawn, and its effects have run. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
}

/** What a query, as a panel names it, is answered with by its route. */
export async function answerTo({ url }: ServedPage, token: string, query: string): Promise<{ readonly status: number; readonly answer: unknown }> {
  const [, method = "", path = "", body = ""] = /^(\S+) (\S+) (.*)$/s.exec(query) ?? [];
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const response = await fetch(new URL(path, url), { method, headers, ...(body !== "" && { body }) });
  return { status: response.status, answer: await response.json() };
}
