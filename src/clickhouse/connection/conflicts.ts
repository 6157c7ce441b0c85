import { CODES } from "./codes.js";
import { isOfNumber } from "./errors.js";

/** How long an insert retries while others into its table are under way, in ms: servers with replicas run them one at a time. */
export const CONFLICT_RETRY_MS = 60_000;
const PAUSE_MS = 100;

/** Whether an insert was refused because another into the same table is under way. */
export function isInsertConflict(error: unknown): boolean {
  return isOfNumber(error, CODES.overloaded.UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE);
}

/** A pause of random length: two waiting inserts must not collide forever. */
export async function conflictPause(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * (1 + Math.random())));
}
