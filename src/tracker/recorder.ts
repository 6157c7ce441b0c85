import type { TrackedEvent } from "./queue.js";
import { addressFor, isListed } from "./settings.js";
import type { Settings } from "./settings.js";
import { isOut, randomId, visitorId } from "./visitor.js";

/** Creates an event with these members and sends it, if allowed. Without a name it is a view. */
export type Recorder = (members: Readonly<Record<string, unknown>>) => void;

export function openRecorder(settings: Settings, send: (event: TrackedEvent) => void): Recorder {
  let userId: unknown;
  let viewed: string | undefined;
  /** How the page was reached. Its events include it too, because one of them may be the first of a visit. */
  let { referrer } = document;
  return (members) => {
    if (isOut() || isListed(location.pathname, settings.exclude)) return;
    const url = addressFor(settings);
    // Another view of the same page keeps the referrer.
    if (!members["name"] && viewed !== url) {
      referrer = viewed || referrer;
      viewed = url;
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
