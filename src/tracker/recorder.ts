import type { TrackedEvent } from "./queue.js";
import { currentUrl, isListed } from "./settings.js";
import type { Settings } from "./settings.js";
import { isOptedOut, randomId, visitorId } from "./visitor.js";

/** Creates an event with these members and sends it, if allowed. Without a name, it is a page view. */
export type Recorder = (members: Readonly<Record<string, unknown>>) => void;

export function openRecorder(settings: Settings, send: (event: TrackedEvent) => void): Recorder {
  let userId: unknown;
  let viewedUrl: string | undefined;
  /** The referrer of the current page. Events include it as well, because one of them may start a visit. */
  let { referrer } = document;
  return (members) => {
    if (isOptedOut() || isListed(location.pathname, settings.exclude)) return;
    const url = currentUrl(settings);
    // Another view of the same page keeps the referrer.
    if (!members["name"] && viewedUrl !== url) {
      referrer = viewedUrl || referrer;
      viewedUrl = url;
    }
    userId = members["userId"] || userId;
    send({
      url,
      referrer,
      title: document.title,
      screen: `${screen.width}x${screen.height}`,
      language: navigator.language,
      anonymousId: visitorId(settings.id),
      userId,
      ...members,
      id: randomId(),
      at: Date.now(),
    });
  };
}
