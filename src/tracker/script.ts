import { startTracker, guarded, type QueuedCall, type Tracker, type Settings } from "./tracker.js";

declare global {
  interface Window {
    /** Created by the page; `q` holds the calls made before the script has loaded. */
    daybook?: Partial<Tracker> & { readonly q?: readonly QueuedCall[] };
  }
}

/** Entry point of `GET /daybook.js`. Finds its tag by selector: in a module `currentScript` is null, and under a tag manager it is the manager's. */
guarded(() => {
  const { q, optOut } = window.daybook || {};
  const script = document.querySelector<HTMLScriptElement>('script[data-key][src*="/daybook.js"]');
  if (!script || (optOut && !q)) return;
  // The selector requires a key; the other attributes are not checked.
  const settings = script.dataset as unknown as Settings;
  window.daybook = startTracker(settings, new URL("v1/collect", settings.server || script.src), q);
})();
