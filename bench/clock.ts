import { fixedClock } from "daybook";
import { TRAFFIC_DAYS } from "./traffic.js";

const dayMs = 86_400_000;
/** Days after the traffic. */
const endMs = Date.parse(`${TRAFFIC_DAYS.last}T00:00:00Z`) + 21 * dayMs;

/** Stands after the last event, and those that come while queries are asked: none lies in the future. */
export const clock = fixedClock(endMs);

/** Asks about the days before `nowMs` as if it were then. */
export async function runAt<T>(nowMs: number, run: () => Promise<T>): Promise<T> {
  clock.set(nowMs);
  try {
    return await run();
  } finally {
    clock.set(endMs);
  }
}
