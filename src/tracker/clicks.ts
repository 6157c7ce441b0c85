import { listen } from "./guard.js";
import type { Recorder } from "./recorder.js";
import { anyOf } from "./settings.js";
import type { Settings } from "./settings.js";

const PREFIX = "data-daybook-";
const FILES = "pdf,zip,rar,7z,gz,xls,xlsx,doc,docx,ppt,pptx,csv,txt,mp3,mp4,mov,dmg,pkg,exe,msi,apk";

/** Records clicks and submissions: those of elements that name an event, and of links where these are asked for. Prevents none. */
export function watchClicks({ outbound, downloads }: Settings, record: Recorder["record"]): void {
  const files = new RegExp(`\\.(${anyOf(downloads || FILES)})$`, "i");

  const recordNamed = (target: Element, selector: string) => {
    const element = target.closest(selector);
    if (!element) return;
    const metadata: Record<string, string> = {};
    for (const { name, value } of element.attributes) if (name.startsWith(PREFIX)) metadata[name.slice(PREFIX.length)] = value;
    const { event: name, ...others } = metadata;
    record({ name, metadata: others });
  };

  // A middle click is an `auxclick`, and so is that of other buttons.
  listen<MouseEvent>("click auxclick", ({ target, button }) => {
    if (button > 1) return;
    const link = (target as Element).closest<HTMLAnchorElement>("a[href]");
    if (link?.host) {
      const metadata = { url: link.href };
      if (outbound !== undefined && link.host !== location.host) record({ name: "Outbound Link", metadata });
      if (downloads !== undefined && files.test(link.pathname)) record({ name: "File Download", metadata });
    }
    recordNamed(target as Element, `[${PREFIX}event]:not(form)`);
  });
  listen("submit", ({ target }) => recordNamed(target as Element, `form[${PREFIX}event]`));
}
