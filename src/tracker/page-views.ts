import { guarded, listen } from "./guard.js";
import type { Recorder } from "./recorder.js";
import { currentUrl } from "./settings.js";
import type { Settings } from "./settings.js";

/** Records each page once, as soon as it is visible. Returns a function that records another view of the current page. */
export function watchPageViews(settings: Settings, record: Recorder): () => void {
  let lastUrl: string | undefined;
  const view = guarded(() => {
    lastUrl = currentUrl(settings);
    record({});
  });
  const check = guarded(async () => {
    // Deferred: by then the page has its new title, several changes count as one, and the page has had a chance to opt out.
    await null;
    if (!document.hidden && currentUrl(settings) !== lastUrl) view();
  });

  (["pushState", "replaceState"] as const).forEach(guarded((name) => {
    const original = history[name];
    history[name] = function (...args) {
      try {
        return original.apply(this, args);
      } finally {
        check();
      }
    };
  }));
  listen<PageTransitionEvent>("popstate visibilitychange pageshow", ({ persisted }) => {
    if (persisted) lastUrl = undefined;
    check();
  });
  check();
  return view;
}
