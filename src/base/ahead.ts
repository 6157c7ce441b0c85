/** So many loads are under way at once: the disk, and threads that inflate, have work while one is taken. */
export const AHEAD_COUNT = 4;

/** Loads items some at a time and takes what came of them one after the other, in their order. @param take answers false to end */
export async function inOrder<I, T>(items: readonly I[], load: (item: I) => Promise<T>, take: (loaded: T, item: I) => boolean | Promise<boolean>): Promise<void> {
  const loads: Promise<T>[] = [];
  for (const [at, item] of items.entries()) {
    while (loads.length < Math.min(items.length, at + AHEAD_COUNT)) {
      const next = load(items[loads.length] as I);
      // Who waits for it hears of it: nobody does where an earlier one failed.
      next.catch(() => undefined);
      loads.push(next);
    }
    if (!(await take(await (loads[at] as Promise<T>), item))) return;
  }
}
