import { namesWith, store } from "./store.js";

const ID = "daybook.id";
const OUT = "daybook.optout";

/** A random UUID, in which the address of anything in memory ends. `crypto.randomUUID` is there on https only. */
export function randomId(): string {
  return URL.createObjectURL(new Blob()).slice(-36);
}

/** The id of this visitor, kept in the browser; none where the browser keeps nothing. @param kind the setting `id` */
export function visitorId(kind?: string): string | undefined {
  return kind === "storage" && "length" in store ? (store[ID] = store[ID] || randomId()) : undefined;
}

/** Whether this visitor asked that nothing be sent. */
export function isOut(): boolean {
  return OUT in store;
}

/** With `true` all that we stored is gone, but for this. */
export function setOut(out = true): void {
  for (const name of namesWith(out ? "daybook." : OUT)) delete store[name];
  if (out) store[OUT] = "1";
}
