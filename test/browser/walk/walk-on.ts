import { arrive } from "./arrival.js";
import { EXCLUDED } from "./pages.js";
import type { Fate } from "./proxy.js";
import {
  again, ask, BACK, behind, call, early, excluded, FORWARD, identify, link, look, optOut, outbound, reload, signup, teaser, through, track,
  whileHidden, within, type Rest, type Step,
} from "./steps.js";
import type { Tab } from "./tab.js";
import type { Walker } from "./walker.js";

const FATES: readonly (readonly [Fate, number])[] = [["pass", 70], ["repeat", 9], ["cut", 8], ["cut_after", 7], ["busy", 6]];
const SAFE: readonly (readonly [Fate, number])[] = [["pass", 80], ["repeat", 20]];
const HIDDEN: readonly (readonly [Fate, number])[] = [["pass", 60], ["repeat", 10], ["lose", 20], ["busy", 10]];

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
