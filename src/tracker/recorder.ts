import type { Queue } from "./queue.js";
import { anyOf } from "./settings.js";
import type { Settings } from "./settings.js";
import { isOut, randomId, visitorId } from "./visitor.js";

/** What makes events: what happened, with where and when. */
export interface Recorder {
  /** The page's address as it is now, with its hash where that counts. */
  readonly address: () => string;
  /** Sends an event with these members. Answers whether that may be. */
  readonly record: (members: Readonly<Record<string, unknown>>) => boolean;
}

export function openRecorder({ hash, id, exclude = "" }: Settings, queue: Queue): Recorder {
  const excluded = new RegExp(`^(${anyOf(exclude)})$`);
  const address = () => (hash === undefined ? location.href.split("#")[0] : location.href) as string;
  let userId: unknown;
  return {
    address,
    record: (members) => {
      if (isOut() || excluded.test(location.pathname)) return false;
      userId = members["userId"] || userId;
      const event = {
        url: address(),
        title: document.title,
        screen: `${screen.width}x${screen.height}`,
        language: navigator.language,
        anonymousId: id === "storage" ? visitorId() : undefined,
        userId,
        ...members,
        id: randomId(),
        at: Date.now(),
      };
      if ((document as { prerendering?: boolean }).prerendering) document.addEventListener("prerenderingchange", () => queue.push(event));
      else queue.push(event);
      return true;
    },
  };
}
