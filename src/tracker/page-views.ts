import { guarded, listen } from "./guard.js";
import type { Recorder } from "./recorder.js";

export interface PageViews {
  /** Records one more view of this page. */
  readonly view: () => void;
  /** Records a view of this page if it is shown, and was not counted yet. */
  readonly look: () => void;
}

/** Records each page once that is shown: at once if it is, else as soon as it is. The first one waits for a `look`. */
export function watchPageViews({ address, record }: Recorder): PageViews {
  let seen: string | undefined;
  let { referrer } = document;
  const view = guarded(() => {
    seen = address();
    if (record({ referrer })) referrer = seen;
  });
  const look = guarded(() => {
    if (!document.hidden && address() !== seen) view();
  });
  // Later, so that the page has its new title, and that of several changes at once the last one counts.
  const lookSoon = guarded(() => setTimeout(look));

  for (const name of ["pushState", "replaceState"] as const) {
    const original = history[name];
    guarded(() => {
      history[name] = function (...args) {
        const result = original.apply(this, args);
        lookSoon();
        return result;
      };
    })();
  }
  listen("popstate hashchange", lookSoon);
  listen("visibilitychange prerenderingchange", look);
  listen<PageTransitionEvent>("pageshow", ({ persisted }) => {
    if (persisted) seen = undefined;
    look();
  });
  return { view, look };
}
