import type { LockWait } from "../node/index.js";

/** For `onLockWait`: a line on stderr, so that nobody wonders why nothing happens. */
export function tellWait({ message }: LockWait): void {
  process.stderr.write(`daybook: ${message}\n`);
}
