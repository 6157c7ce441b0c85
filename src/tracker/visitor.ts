import { namesWith, store } from "./store.js";

const ID = "daybook.id";
const OUT = "daybook.optout";

/** A random UUID, from the end of a blob URL: `crypto.randomUUID` exists only on https. */
export function randomId(): string {
  return URL.createObjectURL(new Blob()).slice(-36);
}

/** The id of this visitor, stored in the browser; undefined if the browser stores nothing. @param kind the setting `id` */
export function visitorId(kind?: string): string | undefined {
  return kind === "storage" && "length" in store ? (store[ID] = store[ID] || randomId()) : undefined;
}

/** Whether this visitor has opted out. */
export function isOut(): boolean {
  return OUT in store;
}

/** `true` deletes everything stored except the opt-out itself. */
export function setOut(out = true): void {
  for (const name of namesWith(out ? "daybook." : OUT)) delete store[name];
  if (out) store[OUT] = "1";
}
