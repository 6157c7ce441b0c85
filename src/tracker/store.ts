/** Strings by key: `localStorage` or, if it is blocked, the page's memory. */
export let store: Record<string, string | undefined> = {};

export function openStore(): void {
  try {
    store = localStorage || {};
  } catch {
    // `localStorage` is blocked: stay in memory.
  }
}

export function keysWith(prefix: string): string[] {
  return Object.keys(store).filter((name) => name.startsWith(prefix));
}
