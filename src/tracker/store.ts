/** Texts by name: the browser's storage, or where that is blocked or full, this page's memory. */
export let store: Record<string, string | undefined> = {};

export function openStore(): void {
  try {
    store = localStorage || store;
  } catch {
    // Blocked.
  }
}

export function put(name: string, text: string): void {
  try {
    store[name] = text;
  } catch {
    store = { ...store, [name]: text };
  }
}

export function namesWith(prefix: string): string[] {
  return Object.keys(store).filter((name) => name.startsWith(prefix));
}
