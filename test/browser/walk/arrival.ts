import { APP_LINKS, LINKS } from "./pages.js";
import type { Tab } from "./tab.js";
import type { Walker } from "./walker.js";

interface Way {
  readonly referer?: string;
  readonly query?: string;
  /** By a link on another site. */
  readonly isLink?: boolean;
}

/** How people come to a site. */
const WAYS: readonly (readonly [Way, number])[] = [
  [{}, 5],
  [{ referer: "https://www.google.com/" }, 3],
  [{ referer: "https://www.facebook.com/" }, 1],
  [{ referer: "https://checkout.stripe.com/" }, 1],
  [{ isLink: true }, 2],
  [{ isLink: true, query: "utm_source=mail&utm_medium=email&utm_campaign=spring" }, 1],
  [{ query: "utm_source=mail&utm_medium=email&utm_campaign=autumn" }, 2],
  [{ query: "utm_source=partner", referer: "https://www.google.com/" }, 1],
  [{ query: "gclid=a1b2" }, 1],
];

/** Somebody opens the site. */
export async function arrive(walker: Walker, tab: Tab): Promise<void> {
  const { site } = walker.world;
  const way = walker.random.weighed(WAYS);
  const path = walker.random.of([...LINKS, ...APP_LINKS]);
  const url = way.query === undefined ? path : `${path}${path.includes("?") ? "&" : "?"}${way.query}`;
  if (way.isLink === true) {
    const news = `${site.news}/?to=${encodeURIComponent(url)}`;
    await tab.page.goto(news);
    tab.go(news, "load");
    await click(tab, "#story", true);
  } else await tab.page.goto(site.url + url, way.referer === undefined ? {} : { referer: way.referer });
  tab.go(url, "load");
  await tab.loaded();
  walker.note(tab);
}

/** Clicks as a script does, so that what follows cannot overtake its own answer. @param isLoad another document is waited for */
export async function click(tab: Tab, selector: string, isLoad: boolean): Promise<void> {
  const loaded = isLoad ? tab.page.waitForEvent("load") : undefined;
  await tab.page.evaluate(`void setTimeout(() => document.querySelector(${JSON.stringify(selector)}).click(), 0)`);
  await loaded;
}
