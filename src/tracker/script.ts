import { startTracker } from "./daybook.js";
import type { Call, Daybook } from "./daybook.js";
import { guarded } from "./guard.js";
import type { Settings } from "./settings.js";

// What `GET /daybook.js` serves.
interface Page {
  /** Of the page's own making, with the calls made so far, until the script has loaded. */
  daybook?: Partial<Daybook> & { readonly q?: readonly Call[] };
}

guarded(() => {
  const page = window as unknown as Page;
  const { q, optOut } = page.daybook ?? {};
  if (optOut && !q) return;
  // A module has no current script, and a tag manager's is its own.
  const script = [document.currentScript, document.querySelector('script[data-key][src$="/daybook.js"]')]
    .find((element): element is HTMLScriptElement => Boolean((element as HTMLScriptElement | null)?.dataset["key"]));
  if (!script) return;
  const settings = script.dataset as unknown as Settings;
  page.daybook = startTracker({ ...settings, server: settings.server || new URL(".", script.src).href }, q);
})();
