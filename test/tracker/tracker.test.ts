import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test } from "vitest";
import { sharedChromium } from "../browser/chromium.js";
import { longTest } from "../long-test.js";
import { sliceOf } from "../oracle/settings.js";
import { Collector, Site } from "./site.js";

const site = new Site();
let collector: Collector;
let browser: Browser;
let context: BrowserContext;
/** Errors that reached the pages. */
const errors: string[] = [];

beforeAll(async () => {
  collector = new Collector(readFileSync(join(inject("programs"), "daybook.js"), "utf8"));
  [browser] = await Promise.all([sharedChromium(), collector.start(), site.start()]);
});
afterAll(() => {
  collector.stop();
  site.stop();
});
beforeEach(async () => {
  collector.reset();
  errors.length = 0;
  site.csp = undefined;
  context = await browser.newContext();
});
afterEach(async () => {
  await context.close();
  // Nothing of the tracker ever reaches the page.
  expect(errors).toEqual([]);
});

/** The tag, with these attributes, within this page. */
function html(attributes = "", body = "", head = ""): string {
  return `<title>here</title>${head}<script defer src="${collector.url}/daybook.js" data-key="pk_1" ${attributes}></script>${body}`;
}

async function open(path: string, content = html()): Promise<Page> {
  site.html = content;
  const page = await context.newPage();
  page.on("pageerror", (error) => errors.push(String(error)));
  await page.goto(site.url + path);
  return page;
}

const names = () => collector.taken.map(({ name = "pageview" }) => name);
const paths = () => collector.taken.map(({ url }) => url.replace(site.url, ""));
const settled = (ms = 70) => new Promise((resolve) => setTimeout(resolve, ms));

async function sent(count: number): Promise<void> {
  await expect.poll(() => collector.taken.length, { interval: 10, timeout: 10_000 }).toBe(count);
}

/** Waits until so many have come, and that none comes after them. */
async function exactly(count: number): Promise<void> {
  await sent(count);
  await settled();
  expect(collector.taken.length).toBe(count);
}

const call = (page: Page, code: string) => page.evaluate(code);

test("a page is sent once, with what the wire has, and nothing is stored about its visitor", async () => {
  const page = await open("/a?x=1#part", html("", "", '<script>document.cookie = "a=b"</script>'));
  await exactly(1);
  const [beacon] = collector.beacons;
  expect(beacon).toMatchObject({ key: "pk_1", path: "/v1/collect", type: "text/plain;charset=UTF-8", cookie: undefined });
  const [{ id, age_ms, ...event } = { id: "", age_ms: -1 }] = beacon?.events ?? [];
  const language = await call(page, "navigator.language");
  expect(event).toEqual({ url: `${site.url}/a?x=1`, title: "here", screen: "1280x720", language, referrer: "" });
  expect(id).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
  expect(age_ms).toBeLessThan(1_000);
  expect(await call(page, "[localStorage.length, Object.keys(window).includes('daybook')]")).toEqual([0, true]);
});

test("the pages of a single-page application are sent, each with the one before, also back and forward, and each title is its own", async () => {
  const page = await open("/a");
  await sent(1);
  await call(page, "history.pushState({}, '', '/b'); document.title = 'B'");
  await sent(2);
  await call(page, "history.pushState({}, '', '/b'); history.replaceState({ y: 1 }, '', '#x')");
  await call(page, "history.replaceState({}, '', '/c')");
  await sent(3);
  await page.goBack();
  await sent(4);
  await page.goForward();
  await exactly(5);
  expect(paths()).toEqual(["/a", "/b", "/c", "/b", "/c"]);
  expect(collector.taken.map(({ referrer = "" }) => referrer.replace(site.url, ""))).toEqual(["", "/a", "/b", "/c", "/b"]);
  expect(collector.taken[1]?.["title"]).toBe("B");
});

longTest("of several addresses in one go only the one that is shown is sent", async () => {
  const page = await open("/a");
  await sent(1);
  await call(page, "history.pushState({}, '', '/old'); history.replaceState({}, '', '/new')");
  await exactly(2);
  expect(paths()).toEqual(["/a", "/new"]);
});

longTest("hashes are pages with data-hash only", async () => {
  const page = await open("/a#one", html("data-hash"));
  await sent(1);
  await call(page, "location.hash = 'two'");
  await exactly(2);
  expect(paths()).toEqual(["/a#one", "/a#two"]);
});

longTest("pushState answers and throws what it did, and a frozen history is let be", async () => {
  const page = await open("/a");
  await sent(1);
  expect(await call(page, "try { history.pushState({}, '', 'https://other.example/') } catch (error) { error.name }")).toBe("SecurityError");
  const head = "<script>Object.freeze(history)</script>";
  await open("/b", html("", "", head));
  await exactly(2);
  const result = await open("/c", html("", "", "<script>history.pushState = function (a) { return [this === history, a] }</script>"));
  await sent(3);
  expect(await call(result, "history.pushState(7)")).toEqual([true, 7]);
});

longTest("a page that comes back from the cache of back and forward counts again", async () => {
  const page = await open("/a");
  await sent(1);
  await call(page, "dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))");
  await exactly(2);
  expect(paths()).toEqual(["/a", "/a"]);
});

const HIDDEN = `<script>
  let hidden = true;
  Object.defineProperty(document, "hidden", { get: () => hidden });
  const show = () => { hidden = false; document.dispatchEvent(new Event("visibilitychange", { bubbles: true })); };
</script>`;

longTest("a page that is opened hidden, or rendered ahead and so hidden, waits until it is shown, and counts once", async () => {
  const page = await open("/a", html("", "", HIDDEN));
  await call(page, "history.replaceState({}, '', '/b')");
  await settled();
  expect(names()).toEqual([]);
  await call(page, "show(); show()");
  await exactly(1);
  expect(paths()).toEqual(["/b"]);
});

test("events of a page that is being hidden are sent by a beacon, and nothing of them is kept", async () => {
  const page = await open("/a", html("", "", HIDDEN));
  await call(page, "daybook.track('last')");
  await exactly(1);
  expect(names()).toEqual(["last"]);
});

test("events are sent as the API says, with money, and with who is who from then on", async () => {
  const page = await open("/a");
  await sent(1);
  await call(page, "daybook.track('Order', { plan: 'pro' }, { value: 9.5, currency: 'EUR' })");
  await sent(2);
  await call(page, "daybook.identify('ada')");
  await sent(3);
  await call(page, "daybook.page()");
  await exactly(4);
  expect(names()).toEqual(["pageview", "Order", "$identify", "pageview"]);
  expect(collector.taken[1]).toMatchObject({ metadata: { plan: "pro" }, value: 9.5, currency: "EUR" });
  expect(collector.taken.map(({ userId }) => userId)).toEqual([undefined, undefined, "ada", "ada"]);
});

const EARLY = "<script>window.daybook = window.daybook || { q: [], track(...a) { this.q.push(['track', ...a]) } };";

longTest("calls before the script has loaded are kept; one of them may forbid the rest", async () => {
  await open("/a", html("", "", `${EARLY} daybook.track('early', { n: 1 }); daybook.q.push(['nonsense'], ['identify', 'ada'])</script>`));
  await exactly(3);
  expect(names().sort()).toEqual(["$identify", "early", "pageview"]);
  expect(collector.taken.find(({ name }) => name === undefined)?.["userId"]).toBe("ada");
  collector.reset();
  await open("/a", html("", "", `${EARLY} daybook.q.push(['optOut'])</script>`));
  await settled();
  expect(names()).toEqual([]);
});

longTest("two tags count once", async () => {
  await open("/a", html() + html());
  await exactly(1);
});

longTest("the script finds its tag as a module, and when a tag manager writes it; without a tag it does nothing", async () => {
  await open("/a", `<script type="module" src="${collector.url}/daybook.js" data-key="pk_2"></script>`);
  await sent(1);
  const load = "const tag = document.createElement('script'); tag.src = URL; tag.dataset.key = 'pk_3'; document.head.append(tag);";
  await open("/b", `<script>${load.replace("URL", JSON.stringify(`${collector.url}/daybook.js`))}</script>`);
  await sent(2);
  expect(collector.beacons.map(({ key }) => key)).toEqual(["pk_2", "pk_3"]);
  await open("/c", `<script src="${collector.url}/other.js"></script>`);
  await settled();
  expect(names()).toHaveLength(2);
});

longTest("events go to the directory of the script, or to the server that is named", async () => {
  await open("/a", `<script src="${collector.url}/x/daybook.js?a=/b" data-key="pk_1"></script>`);
  await sent(1);
  await open("/a", html(`data-server="${collector.url}/y/"`));
  await sent(2);
  expect(collector.beacons.map(({ path }) => path)).toEqual(["/x/v1/collect", "/y/v1/collect"]);
});

test("an id is stored where data-id asks for it, the same on every page, and none is sent where storage is blocked", async () => {
  const page = await open("/a", html('data-id="storage"'));
  await sent(1);
  const id = await call(page, "localStorage['daybook.id']");
  expect(id).toMatch(/^[\da-f-]{36}$/);
  await open("/b", html('data-id="storage"'));
  await sent(2);
  expect(collector.taken.map(({ anonymousId }) => anonymousId)).toEqual([id, id]);
  await context.addInitScript(BLOCKED);
  await open("/c", html('data-id="storage"'));
  await exactly(3);
  expect(collector.taken[2]?.["anonymousId"]).toBeUndefined();
});

const BLOCKED = "Object.defineProperty(window, 'localStorage', { get() { throw new Error('blocked') } })";

longTest("what is excluded is not sent, nor told as the page before", async () => {
  const page = await open("/admin/users", html('data-exclude="/admin/*, /x.y"'));
  await call(page, "daybook.track('secret')");
  for (const path of ["/x.y", "/xzy", "/administer", "/admin/", "/b"]) {
    await call(page, `history.pushState({}, '', '${path}')`);
    await settled(30);
  }
  await exactly(3);
  expect(paths()).toEqual(["/xzy", "/administer", "/b"]);
  expect(collector.taken[2]?.referrer).toBe(`${site.url}/administer`);
});

longTest("who opts out sends nothing any more, on no page, and nothing of ours is left but that; it can be taken back", async () => {
  collector.answers = [500];
  const page = await open("/a", html('data-id="storage"'));
  await expect.poll(() => call(page, "Object.keys(localStorage).length")).toBe(2);
  await call(page, "daybook.optOut(); daybook.track('x'); daybook.page()");
  expect(await call(page, "JSON.stringify(localStorage)")).toBe('{"daybook.optout":"1"}');
  await page.reload();
  await settled();
  expect(names()).toEqual([]);
  await call(page, "daybook.optOut(false); daybook.track('again')");
  await exactly(1);
  expect(names()).toEqual(["again"]);
});

longTest("who opts out while an answer is awaited leaves nothing behind", async () => {
  const page = await open("/a");
  await sent(1);
  collector.answers = [500];
  await call(page, "daybook.track('x'); daybook.optOut()");
  await settled();
  expect(await call(page, "Object.keys(localStorage)")).toEqual(["daybook.optout"]);
});

test.each(sliceOf([[500], [503], [429], [0]], 4))("an event that is answered %i comes again with its id after a reload, and then no more", async (status) => {
  collector.answers = [status];
  const page = await open("/a");
  await expect.poll(() => call(page, "Object.keys(localStorage).length")).toBe(1);
  await settled(30);
  await page.reload();
  await exactly(2);
  const [first] = collector.beacons;
  const again = collector.taken[1];
  expect(again?.id).toBe(first?.events[0]?.id);
  expect(again?.age_ms).toBeGreaterThanOrEqual(30);
  expect(await call(page, "localStorage.length")).toBe(0);
});

longTest.each([[400], [403], [413]])("an event that is answered %i is never sent again", async (status) => {
  collector.answers = [status];
  const page = await open("/a");
  await expect.poll(() => collector.beacons.length).toBe(1);
  await call(page, "daybook.track('next')");
  await exactly(1);
  expect(names()).toEqual(["next"]);
});

longTest("where storage is blocked an event is kept by its page", async () => {
  await context.addInitScript(BLOCKED);
  collector.answers = [500];
  const page = await open("/a");
  await expect.poll(() => collector.beacons.length).toBe(1);
  await settled(50);
  await call(page, "daybook.track('next')");
  await exactly(2);
  expect(names()).toEqual(["next", "pageview"]);
});

longTest("of two tabs neither loses what the other keeps, and at most fifty are kept, none longer than an hour", async () => {
  collector.answers = Array.from({ length: 70 }, () => 500);
  const tabs = await Promise.all([open("/a"), open("/b")]);
  await Promise.all(tabs.map((tab, at) => call(tab, `for (let n = 0; n < 5; n++) daybook.track('${at}' + n)`)));
  const [tab] = tabs;
  await expect.poll(() => call(tab, "Object.keys(localStorage).length")).toBe(12);
  await call(tab, "for (let n = 0; n < 50; n++) daybook.track('more')");
  await expect.poll(() => collector.beacons.length).toBe(62);
  await settled();
  expect(await call(tab, "Object.keys(localStorage).length")).toBe(50);
  collector.reset();
  await call(tab, `{
    const old = Object.keys(localStorage).filter((name) => localStorage[name].includes('more'));
    for (const name of old) localStorage[name] = localStorage[name].replace(/"at":\\d+/, '"at":' + (Date.now() - 3600001));
  }`);
  await call(tab, "daybook.track('up')");
  await exactly(13);
  expect(new Set(collector.taken.map(({ id }) => id)).size).toBe(13);
  expect(await call(tab, "localStorage.length")).toBe(0);
});

longTest("no body is longer than 64 KiB; an event that alone is goes nowhere", async () => {
  const page = await open("/a");
  await sent(1);
  // As much as the browser lets be on its way at once.
  collector.answers = [500, 500];
  await call(page, "daybook.track('one', { text: 'é'.repeat(15000) }); daybook.track('two', { text: 'é'.repeat(15000) })");
  await expect.poll(() => call(page, "localStorage.length"), { timeout: 10_000 }).toBe(2);
  await call(page, "daybook.track('huge', { text: 'é'.repeat(40000) })");
  await exactly(3);
  expect(names().sort()).toEqual(["one", "pageview", "two"]);
  expect(Math.max(...collector.beacons.map((beacon) => JSON.stringify(beacon.events).length))).toBeLessThan(65_536);
});

longTest("a policy that forbids to connect stops nothing else", async () => {
  site.csp = `script-src 'unsafe-inline' ${collector.url}; connect-src 'none'`;
  const page = await open("/a");
  await call(page, "daybook.track('x')");
  await settled();
  expect(collector.beacons).toEqual([]);
  site.csp = `script-src ${collector.url}; connect-src ${collector.url}`;
  await page.reload();
  await sent(3);
  expect(names().sort()).toEqual(["pageview", "pageview", "x"]);
});

longTest("a page that breaks what the tracker needs hears nothing of it", async () => {
  const broken = ["JSON.stringify = null", "fetch = navigator.sendBeacon = null", "addEventListener = () => { throw 1 }", "URL.createObjectURL = null"];
  for (const code of [...broken, "fetch = () => 7"]) {
    const page = await open("/a", html("", "", `<script>${code}</script>`));
    await call(page, "window.daybook?.track('x')");
  }
  const page = await open("/a");
  await sent(1);
  await call(page, "{ const loop = {}; loop.loop = loop; daybook.track('x', loop); }");
  await call(page, "daybook.track('y', { n: 1n }); daybook.track(Symbol()); daybook.identify()");
  await settled();
});

const ELEMENTS = `<div data-daybook-event="Signup" data-daybook-plan="pro" data-daybook-plan-size="3" data-other="x"><b id="inside">now</b></div>
  <form data-daybook-event="Sent" data-daybook-form="contact" onsubmit="return false"><input id="field"><button id="send">send</button></form>
  <p id="stopped" data-daybook-event="Stopped">x</p><script>stopped.onclick = (event) => event.stopPropagation()</script>`;

test("elements that name an event send it when they are clicked, forms when they are submitted", async () => {
  const page = await open("/a", html("", ELEMENTS));
  await sent(1);
  await page.click("#inside");
  await sent(2);
  await page.click("#field");
  await page.click("#send");
  await sent(3);
  await page.click("#stopped");
  await exactly(4);
  expect(names()).toEqual(["pageview", "Signup", "Sent", "Stopped"]);
  expect(collector.taken.map(({ metadata }) => metadata)).toEqual([undefined, { plan: "pro", "plan-size": "3" }, { form: "contact" }, {}]);
});

const LINKS = `<a id="out" href="URL/elsewhere">out</a> <a id="in" href="/in">in</a> <a id="file" href="/f/Paper.PDF?x=1" download>file</a>
  <a id="mail" href="mailto:a@b.example">mail</a> <script>
    document.querySelectorAll("#file,#mail").forEach((link) => link.addEventListener("click", (event) => event.preventDefault()));</script>`;

longTest("links to other hosts and to files are events where they are asked for, also when the page is left by them", async () => {
  const page = await open("/a", html("data-outbound data-downloads=\"pdf, zip\"", LINKS.replace("URL", collector.url)));
  await sent(1);
  await page.click("#mail");
  await page.click("#file");
  await sent(2);
  await page.click("#out", { button: "middle" });
  await sent(3);
  await page.click("#out", { button: "right" });
  await page.click("#out");
  await page.waitForURL(`${collector.url}/elsewhere`);
  await exactly(4);
  expect(names()).toEqual(["pageview", "File Download", "Outbound Link", "Outbound Link"]);
  const elsewhere = `${collector.url}/elsewhere`;
  expect(collector.taken.map(({ metadata }) => metadata?.["url"])).toEqual([undefined, `${site.url}/f/Paper.PDF?x=1`, elsewhere, elsewhere]);
});

longTest("links are no events where they are not asked for, or have another ending than is asked for", async () => {
  const page = await open("/a", html('data-downloads="zip, tar"', LINKS.replace("URL", collector.url)));
  await sent(1);
  await page.click("#file");
  await page.click("#out", { button: "middle" });
  await exactly(1);
});
