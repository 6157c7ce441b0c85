/** The same, but what goes wrong in it, at once or later, stays in it: nothing of ours may disturb the page. */
export function guarded<A extends unknown[]>(act: (...args: A) => unknown): (...args: A) => void {
  return async (...args) => {
    try {
      await act(...args);
    } catch {
      // Nobody there could do anything about it.
    }
  };
}

/** Listens before the page does, so that no handler of it can hide an event. @param types apart by blanks */
export function listen<E extends Event>(types: string, act: (event: E) => unknown): void {
  for (const type of types.split(" ")) addEventListener(type, guarded(act) as EventListener, true);
}
