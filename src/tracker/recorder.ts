import type { TrackedEvent } from "./queue.js";
import { addressFor, isListed } from "./settings.js";
import type { Settings } from "./settings.js";
import { isOut, randomId, visitorId } from "./visitor.js";

/** Makes an event with these members and sends it. Answers whether that may be. */
export type Recorder = (members: Readonly<Record<string, unknown>>) => boolean;

export function openRecorder(settings: Settings, send: (event: TrackedEvent) => void): Recorder {
  let userId: unknown;
  return (members) => {
    if (isOut() || isListed(location.pathname, settings.exclude)) return false;
    userId = members["userId"] || userId;
    const event = {
      url: addressFor(settings),
      title: document.title,
      screen: `${screen.width}x${screen.height}`,
      language: navigator.language,
      anonymousId: visitorId(settings.id),
      userId,
      ...members,
      id: randomId(),
      at: Date.now(),
    };
    send(event);
    return true;
  };
}
