import { click } from "./arrival.js";
import { APP_LINKS, EXCLUDED, LINKS } from "./pages.js";
import type { Tab } from "./tab.js";
import type { Walker } from "./walker.js";

/** What is left of a step, for a moment later. */
export type Rest = (() => Promise<void>) | undefined;
export type Step = (walker: Walker, tab: Tab) => Promise<Rest | void>;

export const BACK = -1;
export const FORWARD = 1;

export const call = (tab: Tab, code: string) => tab.page.evaluate(`void (${code})`);

/** A link to another document. */
export const link: Step = async (walker, tab) => {
  const href = walker.random.of([...LINKS, ...(tab.isApp ? [] : APP_LINKS)].filter((each) => each !== tab.url));
  await follow(tab, href);
  walker.note(tab);
};

async function follow(tab: Tab, href: string): Promise<void> {
  await click(tab, `a[href="${href}"]:not([data-how])`, true);
  tab.go(href, "load");
  await tab.loaded();
}

/** The page that is opened calls the tracker before that has loaded. */
export const early: Step = async (walker, tab) => {
  walker.served.early = true;
  await follow(tab, walker.random.of(LINKS.filter((each) => each !== tab.url)));
  walker.note(tab, "Early", "none");
  walker.note(tab);
};

/** A page that nothing is told of. */
export const excluded: Step = async (_, tab) => await follow(tab, EXCLUDED);

export const within = (how: "pushState" | "replaceState"): Step => async (walker, tab) => {
  const href = walker.random.of(APP_LINKS.filter((each) => each !== tab.url));
  await click(tab, `a[href="${href}"][data-how="${how}"]`, false);
  tab.referrer = tab.site + tab.url;
  tab.go(href, how);
  walker.note(tab);
};

export const reload: Step = async (walker, tab) => {
  await tab.page.reload();
  await tab.loaded();
  walker.note(tab);
};

export const through = (step: -1 | 1): Step => async (walker, tab) => {
  const ahead = tab.ahead(step);
  const before = tab.url;
  await (step === BACK ? tab.page.goBack() : tab.page.goForward());
  tab.move(step);
  if (ahead?.isLoad === true) await tab.loaded();
  else if (tab.url === before) return;
  else tab.referrer = tab.site + before;
  walker.note(tab);
};

export const signup: Step = async (walker, tab) => {
  await (walker.random.is(0.5) ? tab.page.click("#signup b") : click(tab, "#signup b", false));
  walker.note(tab, "Signup", "pro");
};

export const ask: Step = async (walker, tab) => {
  await click(tab, "#ask button", false);
  walker.note(tab, "Asked", "free");
};

export const track: Step = async (walker, tab) => {
  const plan = walker.random.of(["pro", "free"]);
  await call(tab, `daybook.track("Played", { plan: "${plan}" })`);
  walker.note(tab, "Played", plan);
};

export const again: Step = async (walker, tab) => {
  await call(tab, "daybook.page()");
  walker.note(tab);
};

export const identify: Step = async (walker, tab) => {
  const { user } = walker.person;
  await call(tab, `daybook.identify("${user}")`);
  tab.user = user;
  walker.note(tab, "$identify");
};

/** The tab goes behind another one, and something happens in it. */
export const whileHidden: Step = async (walker, tab) => {
  await call(tab, 'walkHide(true), daybook.track("Heard", { plan: "free" })');
  tab.isHidden = true;
  walker.note(tab, "Heard", "free", true);
};

/** A link is opened behind this tab: no view, as long as nobody looks at it. */
export const behind: Step = async (walker, tab) => {
  const href = walker.random.of(LINKS);
  const other = await walker.newTab();
  walker.served.hidden = true;
  await other.page.goto(tab.site + href, { referer: tab.site + tab.url });
  other.isHidden = true;
  other.go(href, "load");
  await other.loaded();
};

/** Somebody looks at what was opened behind. */
export const look: Step = async (walker, tab) => {
  const other = walker.tabs[walker.tabs.length - 1];
  if (other === undefined) return;
  walker.tabs = [other];
  await call(tab, "walkHide(true)");
  tab.isHidden = true;
  await call(other, `walkMs = ${walker.world.nowMs()}, walkHide(false)`);
  other.isHidden = false;
  walker.note(other);
};

/** A link whose click is an event: the page it leads to comes a moment later. */
export const teaser: Step = async (walker, tab) => {
  const href = tab.path === "/pricing" ? "/about" : "/pricing";
  const loaded = tab.page.waitForEvent("load");
  let open = () => {};
  walker.served.hold = new Promise((resolve) => (open = resolve));
  await call(tab, 'setTimeout(() => document.querySelector("#teaser").click(), 0)');
  walker.note(tab, "Teaser", "pro");
  walker.leave();
  return async () => {
    walker.served.hold = null;
    open();
    await loaded;
    tab.go(href, "load");
    await tab.loaded();
    walker.note(tab);
  };
};

export const outbound: Step = async (walker, tab) => {
  await click(tab, "#out", true);
  walker.note(tab, "Outbound Link");
  walker.leave();
  tab.go(`${walker.world.site.news}/partner`, "load");
};

export const optOut: Step = async (walker, tab) => {
  await call(tab, "daybook.optOut()");
  walker.optOut();
};
