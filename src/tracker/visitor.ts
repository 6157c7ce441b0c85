import { namesWith, put, store } from "./store.js";

const ID = "daybook.id";
const OUT = "daybook.optout";

/** A random UUID, in which the address of anything in memory ends. `crypto.randomUUID` is there on https only. */
export function randomId(): string {
  return URL.createObjectURL(new Blob()).slice(-36);
}

/** The id of this visitor, kept in the browser; none where the browser keeps nothing. */
export function visitorId(): string | undefined {
  try {
    return (localStorage[ID] ||= randomId()) as string;
  } catch {
    return;
  }
}

/** Whether this visitor asked that nothing be sent. */
export function isOut(): boolean {
  return store[OUT] === "1";
}

/** With `true` all that we stored is gone, but for this. */
export function setOut(out = true): void {
  for (const name of namesWith(out ? "daybook." : OUT)) delete store[name];
  if (out) put(OUT, "1");
}
