import { checkQueryOptions } from "./call-options.js";
import type { KnownOptions } from "./known-options.js";

/** How something that reads is stopped. */
export interface StopOptions {
  /**
   * Stops it with `aborted`. It is asked and never listened to, so anything that can tell whether it is aborted will do. An export
   * lets others have a turn now and then; a question does so every few milliseconds with a signal, and without one it does not.
   */
  readonly signal?: Pick<AbortSignal, "aborted"> | undefined;
}

const KNOWN: KnownOptions<StopOptions> = { signal: true };

/** Null and undefined are none: programs without types hand over anything. @throws invalid_parameter, unknown_parameter */
export function readStopOptions(options: StopOptions | null | undefined): StopOptions {
  checkQueryOptions(options, KNOWN);
  return options ?? {};
}
