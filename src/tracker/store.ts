/** Texts by name: the browser's storage, or where that is blocked, this page's memory. */
export let store: Record<string, string | undefined> = {};

export function openStore(): void {
  try {
    store = localStorage || {};
  } catch {
    // Blocked.
  }
}

export function namesWith(prefix: string): string[] {
  return Object.keys(store).filter((name) => name.startsWith(prefix));
}
