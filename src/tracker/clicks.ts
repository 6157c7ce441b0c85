import { listen } from "./guard.js";
import type { Recorder } from "./recorder.js";
import { isListed } from "./settings.js";
import type { Settings } from "./settings.js";

/** Records clicks on, and submissions of, elements that name an event; and clicks on links, if configured. Never prevents them. */
export function watchClicks({ outbound, downloads }: Settings, record: Recorder): void {
  // A middle click is an `auxclick`, but so is a click of any other button.
  listen<MouseEvent & { target: Element }>("click auxclick submit", ({ type, target, button }) => {
    if (button > 1) return;
    const link = target.closest<HTMLAnchorElement>("a[href]");
    if (link && link.host) {
      const metadata = { url: link.href };
      if (outbound !== undefined && link.host !== location.host) record({ name: "Outbound Link", metadata });
      if (downloads && isListed(link.pathname.split(".").pop() as string, downloads)) record({ name: "File Download", metadata });
    }
    const element = target.closest(`${type === "submit" ? "form" : ":not(form)"}[data-daybook-event]`);
    if (!element) return;
    const metadata: Record<string, string | undefined> = {};
    for (const { name, value } of element.attributes) {
      const [, key] = name.split("data-daybook-");
      if (key) metadata[key] = value;
    }
    record({ name: metadata["event"], metadata: { ...metadata, event: undefined } });
  });
}
