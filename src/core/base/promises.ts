/** How many loads run at once, so that the disk and the inflating threads stay busy while one result is consumed. */
export const AHEAD_COUNT = 4;

/** Loads items a few at a time and passes the results to `take` one by one, in order. @param take returns false to stop */
export async function inOrder<I, T>(items: readonly I[], load: (item: I) => Promise<T>, take: (loaded: T, item: I) => boolean | Promise<boolean>): Promise<void> {
  const loads: Promise<T>[] = [];
  for (const [at, item] of items.entries()) {
    while (loads.length < Math.min(items.length, at + AHEAD_COUNT)) {
      const next = load(items[loads.length] as I);
      // The caller sees only the first failure; later rejections must not go unhandled.
      next.catch(() => undefined);
      loads.push(next);
    }
    if (!(await take(await (loads[at] as Promise<T>), item))) return;
  }
}

/** Calls a user's hook with each value; ignores what it throws or rejects with. */
export function notifyEach<T>(hook: (value: T) => unknown, values: readonly T[]): void {
  for (const value of values) void new Promise((resolve) => resolve(hook(value))).catch(() => undefined);
}
