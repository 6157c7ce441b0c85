/** Wraps a function so that its errors, also asynchronous ones, never disturb the page. */
export function guarded<A extends unknown[]>(act: (...args: A) => unknown): (...args: A) => void {
  return async (...args) => {
    try {
      await act(...args);
    } catch {
      // The page could not handle it.
    }
  };
}

/** Listens in the capture phase, so that no handler of the page can hide an event. @param types separated by spaces */
export function listen<E extends Event>(types: string, act: (event: E) => unknown): void {
  for (const type of types.split(" ")) addEventListener(type, guarded(act) as EventListener, true);
}
