import { put, store } from "./store.js";

const OUT = "daybook.optout";
const ID = "daybook.id";

/** A random UUID. `crypto.randomUUID` is there on https only. */
export function randomId(): string {
  return "10000000-1000-4000-8000-100000000000".replace(/[018]/g, (digit) => {
    const [byte = 0] = crypto.getRandomValues(new Uint8Array(1));
    return (Number(digit) ^ (byte & (15 >> (Number(digit) / 4)))).toString(16);
  });
}

/** The id of this visitor, kept in the browser; none where the browser keeps nothing. */
export function visitorId(): string | undefined {
  try {
    return (localStorage[ID] ||= randomId()) as string;
  } catch {
    return undefined;
  }
}

/** Whether this visitor asked that nothing be sent. */
export function isOut(): boolean {
  return store[OUT] === "1";
}

export function setOut(out: boolean): void {
  if (out) {
    put(OUT, "1");
    delete store[ID];
  } else delete store[OUT];
}
