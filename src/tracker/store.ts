/** Texts by name: the browser's storage or, if that is blocked, this page's memory. */
export let store: Record<string, string | undefined> = {};

export function openStore(): void {
  try {
    store = localStorage || {};
  } catch {
    // The browser blocks its storage, so memory stays in use.
  }
}

export function namesWith(prefix: string): string[] {
  return Object.keys(store).filter((name) => name.startsWith(prefix));
}
