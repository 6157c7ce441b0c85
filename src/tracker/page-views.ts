import { guarded, listen } from "./guard.js";
import type { Recorder } from "./recorder.js";
import { addressFor } from "./settings.js";
import type { Settings } from "./settings.js";

/** Records each page once, as soon as it is visible. Returns a function that records another view of it. */
export function watchPageViews(settings: Settings, record: Recorder): () => void {
  let seen: string | undefined;
  const view = guarded(() => {
    seen = addressFor(settings);
    record({});
  });
  const look = guarded(async () => {
    // Deferred, so that the page has its new title, only the last of several changes counts, and the page can opt out first.
    await null;
    if (!document.hidden && addressFor(settings) !== seen) view();
  });

  (["pushState", "replaceState"] as const).forEach(guarded((name) => {
    const original = history[name];
    history[name] = function (...args) {
      try {
        return original.apply(this, args);
      } finally {
        look();
      }
    };
  }));
  listen<PageTransitionEvent>("popstate visibilitychange pageshow", ({ persisted }) => {
    if (persisted) seen = undefined;
    look();
  });
  look();
  return view;
}
