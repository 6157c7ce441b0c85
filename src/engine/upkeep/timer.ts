/** Waits; ends early when the signal is aborted. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

/** A system timer, which does not keep the process alive. */
export const timer: Wait = (ms, signal) =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(handle);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const handle = setTimeout(end, ms);
    (handle as { unref?(): void }).unref?.();
    signal.addEventListener("abort", end);
  });
