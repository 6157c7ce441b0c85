import { arrive, click } from "./arrival.js";
import { APP_LINKS, EXCLUDED, LINKS } from "./pages.js";
import type { Fate } from "./proxy.js";
import type { Tab } from "./tab.js";
import type { Walker } from "./walker.js";

/** What is left of a step, for a moment later. */
export type Rest = (() => Promise<void>) | undefined;
type Step = (walker: Walker, tab: Tab) => Promise<Rest | void>;

const FATES: readonly (readonly [Fate, number])[] = [["pass", 70], ["repeat", 9], ["cut", 8], ["cut_after", 7], ["busy", 6]];
const SAFE: readonly (readonly [Fate, number])[] = [["pass", 80], ["repeat", 20]];
const HIDDEN: readonly (readonly [Fate, number])[] = [["pass", 60], ["repeat", 10], ["lose", 20], ["busy", 10]];
const BACK = -1;
const FORWARD = 1;

const call = (tab: Tab, code: string) => tab.page.evaluate(`void (${code})`);

/** A link to another document. */
const link: Step = async (walker, tab) => {
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
const early: Step = async (walker, tab) => {
  walker.served.early = true;
  await follow(tab, walker.random.of(LINKS.filter((each) => each !== tab.url)));
  walker.note(tab, "Early", "none");
  walker.note(tab);
};

/** A page that nothing is told of. */
const excluded: Step = async (_, tab) => await follow(tab, EXCLUDED);

const within = (how: "pushState" | "replaceState"): Step => async (walker, tab) => {
  const href = walker.random.of(APP_LINKS.filter((each) => each !== tab.url));
  await click(tab, `a[href="${href}"][data-how="${how}"]`, false);
  tab.referrer = tab.site + tab.url;
  tab.go(href, how);
  walker.note(tab);
};

const reload: Step = async (walker, tab) => {
  await tab.page.reload();
  await tab.loaded();
  walker.note(tab);
};

const through = (step: -1 | 1): Step => async (walker, tab) => {
  const ahead = tab.ahead(step);
  const before = tab.url;
  await (step === BACK ? tab.page.goBack() : tab.page.goForward());
  tab.move(step);
  if (ahead?.isLoad === true) await tab.loaded();
  else if (tab.url === before) return;
  else tab.referrer = tab.site + before;
  walker.note(tab);
};

const signup: Step = async (walker, tab) => {
  await (walker.random.is(0.5) ? tab.page.click("#signup b") : click(tab, "#signup b", false));
  walker.note(tab, "Signup", "pro");
};

const ask: Step = async (walker, tab) => {
  await click(tab, "#ask button", false);
  walker.note(tab, "Asked", "free");
};

const track: Step = async (walker, tab) => {
  const plan = walker.random.of(["pro", "free"]);
  await call(tab, `daybook.track("Played", { plan: "${plan}" })`);
  walker.note(tab, "Played", plan);
};

const again: Step = async (walker, tab) => {
  await call(tab, "daybook.page()");
  // The page before this view is the page itself.
  tab.referrer = tab.site + tab.url;
  walker.note(tab);
};

const identify: Step = async (walker, tab) => {
  const { user } = walker.person;
  await call(tab, `daybook.identify("${user}")`);
  tab.user = user;
  walker.note(tab, "$identify");
};

/** The tab goes behind another one, and something happens in it. */
const whileHidden: Step = async (walker, tab) => {
  await call(tab, 'walkHide(true), daybook.track("Heard", { plan: "free" })');
  tab.isHidden = true;
  walker.note(tab, "Heard", "free", true);
};

/** A link is opened behind this tab: no view, as long as nobody looks at it. */
const behind: Step = async (walker, tab) => {
  const href = walker.random.of(LINKS);
  const other = await walker.newTab();
  walker.served.hidden = true;
  await other.page.goto(tab.site + href, { referer: tab.site + tab.url });
  other.isHidden = true;
  other.go(href, "load");
  await other.loaded();
};

/** Somebody looks at what was opened behind. */
const look: Step = async (walker, tab) => {
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
const teaser: Step = async (walker, tab) => {
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

const outbound: Step = async (walker, tab) => {
  await click(tab, "#out", true);
  walker.note(tab, "Outbound Link");
  walker.leave();
  tab.go(`${walker.world.site.news}/partner`, "load");
};

const optOut: Step = async (walker, tab) => {
  await call(tab, "daybook.optOut()");
  walker.optOut();
};

/** What can be done in this tab now, how often it is, and what may become of what is sent. */
function choices(walker: Walker, tab: Tab): (readonly [readonly [Step, typeof FATES], number])[] {
  const { person } = walker;
  // A page that is being left may be gone before it hears that something was taken, and does not come to what it kept.
  // And what a hidden page does to what is kept is a test of its own.
  const canLeave = !walker.hasKept(tab);
  const back = tab.ahead(BACK);
  const forward = tab.ahead(FORWARD);
  const goes = (ahead: typeof back, weight: number) => (ahead?.url.startsWith("/") === true && ahead.url !== EXCLUDED ? weight : 0);
  if (tab.isElsewhere || tab.url === EXCLUDED) return [[[through(BACK), FATES], 1]];
  return [
    [[link, FATES], 16], [[reload, FATES], 6], [[through(BACK), FATES], goes(back, 10)], [[through(FORWARD), FATES], goes(forward, 14)],
    [[within("pushState"), FATES], tab.isApp ? 24 : 0], [[within("replaceState"), FATES], tab.isApp ? 8 : 0], [[excluded, SAFE], 3],
    [[signup, FATES], 5], [[ask, FATES], 3], [[track, FATES], 6], [[again, FATES], 2], [[identify, FATES], person.user === null ? 0 : 8],
    [[whileHidden, HIDDEN], canLeave ? 6 : 0], [[behind, SAFE], walker.tabs.length === 1 ? 5 : 0], [[look, FATES], walker.tabs.length > 1 ? 30 : 0],
    [[teaser, SAFE], canLeave ? 5 : 0], [[outbound, SAFE], canLeave ? 4 : 0], [[early, SAFE], 3], [[optOut, SAFE], person.blocked ? 0 : 1],
  ];
}

/** One step of somebody: the first one opens the site. */
export async function walkOn(walker: Walker): Promise<Rest> {
  const [tab] = walker.tabs;
  if (tab === undefined) throw new Error("no tab is open");
  if (tab.url === "") {
    walker.meet(walker.random.weighed(FATES));
    await arrive(walker, tab);
    return void (await done(walker, tab));
  }
  await call(tab, `walkMs = ${walker.world.nowMs()}${tab.isHidden ? ", walkHide(false)" : ""}`);
  tab.isHidden = false;
  const [step, fates] = walker.random.weighed(choices(walker, tab));
  walker.diary.push(`${new Date(walker.world.nowMs()).toISOString()} at ${tab.url}: ${step.name}`);
  walker.meet(walker.random.weighed(fates));
  const rest = await step(walker, tab);
  await done(walker, walker.tabs[0] ?? tab, step === whileHidden);
  if (rest === undefined) return undefined;
  return async () => {
    walker.meet("pass");
    await rest();
    await done(walker, tab);
  };
}

async function done(walker: Walker, tab: Tab, byBeacon = false): Promise<void> {
  await walker.settle(tab, byBeacon);
  walker.meet("pass");
}
