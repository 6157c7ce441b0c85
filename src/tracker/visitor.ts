import { keysWith, store } from "./store.js";

const ID = "daybook.id";
const OPT_OUT = "daybook.optout";

/** A random UUID, taken from a blob URL: `crypto.randomUUID` requires https. */
export function randomId(): string {
  return URL.createObjectURL(new Blob()).slice(-36);
}

/** The id of this visitor, stored in the browser; undefined if the browser stores nothing. @param kind the setting `id` */
export function visitorId(kind?: string): string | undefined {
  return kind === "storage" && "length" in store ? (store[ID] = store[ID] || randomId()) : undefined;
}

/** Whether this visitor has opted out. */
export function isOptedOut(): boolean {
  return OPT_OUT in store;
}

/** `true` deletes everything stored except the opt-out itself. */
export function setOptedOut(out = true): void {
  for (const name of keysWith(out ? "daybook." : OPT_OUT)) delete store[name];
  if (out) store[OPT_OUT] = "1";
}
