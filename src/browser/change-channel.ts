/** From the first change that is not told yet until it is told: whoever listens looks a few times a second anyway. */
const TELL_AFTER_MS = 50;

function channelOf(store: string): BroadcastChannel {
  return new BroadcastChannel(`daybook:${store}`);
}

/** Tells all tabs and workers of the origin that a store has changed, some changes at a time. */
export class ChangeChannel {
  readonly #channel: BroadcastChannel;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(store: string) {
    this.#channel = channelOf(store);
  }

  tell(): void {
    this.#timer ??= setTimeout(() => this.#tellNow(), TELL_AFTER_MS);
  }

  close(): void {
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
      this.#tellNow();
    }
    this.#channel.close();
  }

  #tellNow(): void {
    this.#timer = null;
    this.#channel.postMessage(null);
  }
}

/** Hears of changes of a store, until what it returns is called. */
export function hearChanges(store: string, changed: () => void): () => void {
  const channel = channelOf(store);
  channel.addEventListener("message", changed);
  return () => channel.close();
}
