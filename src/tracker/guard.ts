/** Wraps a function so that its errors, including asynchronous ones, never reach the page. */
export function guarded<A extends unknown[]>(handler: (...args: A) => unknown): (...args: A) => void {
  return async (...args) => {
    try {
      await handler(...args);
    } catch {
      // The page could not handle it.
    }
  };
}

/** Listens in the capture phase, so that handlers of the page cannot stop propagation first. @param types separated by spaces */
export function listen<E extends Event>(types: string, handler: (event: E) => unknown): void {
  for (const type of types.split(" ")) addEventListener(type, guarded(handler) as EventListener, true);
}
