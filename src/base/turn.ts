/** Where there is one: much sooner than a timer of 0 ms. */
const { setImmediate } = globalThis as { setImmediate?: (run: () => void) => unknown };

/** Lets everything else that is due run first: callbacks, input and output, timers. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (setImmediate === undefined) setTimeout(resolve, 0);
    else setImmediate(resolve);
  });
}
