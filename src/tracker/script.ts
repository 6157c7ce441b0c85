import { startTracker } from "./daybook.js";
import type { QueuedCall, Tracker } from "./daybook.js";
import { guarded } from "./guard.js";
import type { Settings } from "./settings.js";

declare global {
  interface Window {
    /** Of the page's own making, with the calls made so far, until the script has loaded. */
    daybook?: Partial<Tracker> & { readonly q?: readonly QueuedCall[] };
  }
}

/** What `GET /daybook.js` serves. Its tag is found by its name, since a module has no current script, and a tag manager's is its own. */
guarded(() => {
  const { q, optOut } = window.daybook || {};
  const script = document.querySelector<HTMLScriptElement>('script[data-key][src*="/daybook.js"]');
  if (!script || (optOut && !q)) return;
  // That it has a key was asked for above; what the other attributes hold nobody checks.
  const settings = script.dataset as unknown as Settings;
  window.daybook = startTracker(settings, new URL("v1/collect", settings.server || script.src), q);
})();
