import { checkQueryOptions } from "./call-options.js";
import type { KnownOptions } from "./known-options.js";

/** Options that stop a read. */
export interface StopOptions {
  /**
   * Stops the call with `aborted`. The flag is polled, never listened to, so any object that has it will do. An export yields now and
   * then; a query yields every few milliseconds with a signal, and never without one.
   */
  readonly signal?: Pick<AbortSignal, "aborted"> | undefined;
}

const KNOWN: KnownOptions<StopOptions> = { signal: true };

/** Checks stop options; null and undefined mean none. @throws invalid_parameter, unknown_parameter */
export function readStopOptions(options: StopOptions | null | undefined): StopOptions {
  checkQueryOptions(options, KNOWN);
  return options ?? {};
}
