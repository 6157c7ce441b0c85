import { fixedClock } from "daybook";
import { TRAFFIC_DAYS } from "./traffic.js";

const endMs = Date.parse(`${TRAFFIC_DAYS.last}T23:59:59.999Z`) + 1;

/** Stands after the last event, so that none lies in the future. */
export const clock = fixedClock(endMs);

/** Asks about the days before `nowMs` as if it were then. */
export async function askAt<T>(nowMs: number, ask: () => Promise<T>): Promise<T> {
  clock.set(nowMs);
  try {
    return await ask();
  } finally {
    clock.set(endMs);
  }
}
