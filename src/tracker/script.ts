import { startTracker } from "./daybook.js";
import type { Call, Daybook } from "./daybook.js";
import { guarded } from "./guard.js";
import type { Settings } from "./settings.js";

declare global {
  interface Window {
    /** Of the page's own making, with the calls made so far, until the script has loaded. */
    daybook?: Partial<Daybook> & { readonly q?: readonly Call[] };
  }
}

/** What `GET /daybook.js` serves. */
guarded(() => {
  const { q, optOut } = window.daybook || {};
  // A module has no current script, and a tag manager's is its own.
  const script = document.querySelector<HTMLScriptElement>('script[data-key][src$="/daybook.js"]') || (document.currentScript as HTMLScriptElement | null);
  if (!script || !script.dataset["key"] || (optOut && !q)) return;
  const settings = script.dataset as unknown as Settings;
  // Below the address that the owner names, else beside the script.
  const base = settings.server ? `${settings.server}/` : script.src;
  window.daybook = startTracker({ ...settings, server: new URL("v1/collect", base) }, q);
})();
