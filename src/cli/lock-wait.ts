import type { LockWait } from "../platform/node/index.js";

/** An `onLockWait` that prints on stderr why nothing happens. */
export function printLockWait({ message }: LockWait): void {
  process.stderr.write(`daybook: ${message}\n`);
}
