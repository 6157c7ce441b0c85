import { CODES } from "./codes.js";
import { isOfNumber } from "./errors.js";

/** How long an insert waits until others of its table are done, which servers with replicas take one after the other. */
export const TURN_MS = 60_000;
const PAUSE_MS = 100;

/** Whether an insert was refused because another of the same table is under way. */
export function isTurnOfOthers(error: unknown): boolean {
  return isOfNumber(error, CODES.overloaded.UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE);
}

/** A pause of another length each time: two that wait must not try at the same moments for ever. */
export async function untilNextTurn(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * (1 + Math.random())));
}
