/** How long good news are believed, and from one question to the next. */
const FRESH_MS = 1_000;
/** How long somebody who wants to know waits at the most; then what was known before is answered. */
const WAIT_MS = 1_000;
/** How long the servers have to answer. */
const ASK_MS = 5_000;

/** Whether there is a server that answers, by how statements ended, and by asking where these tell too little. */
export class Reach {
  #isThere = true;
  #goodMs = -Infinity;
  #askedMs = -Infinity;
  #asking: Promise<void> | null = null;

  /** How a statement ended. A bad end may be that statement's alone: then the servers are asked. */
  told(isAnswered: boolean): void {
    if (isAnswered) this.#isThere = true;
    this.#goodMs = isAnswered ? performance.now() : -Infinity;
  }

  /** @param ask a small statement; settled when it has ended, and whether somebody is there */
  async isThere(ask: (signal: AbortSignal) => Promise<boolean>): Promise<boolean> {
    const nowMs = performance.now();
    if (nowMs - this.#goodMs >= FRESH_MS && nowMs - this.#askedMs >= FRESH_MS && this.#asking === null) {
      this.#askedMs = nowMs;
      this.#asking = this.#ask(ask).finally(() => (this.#asking = null));
    }
    if (this.#asking !== null) await within(WAIT_MS, this.#asking);
    return this.#isThere;
  }

  async #ask(ask: (signal: AbortSignal) => Promise<boolean>): Promise<void> {
    this.#isThere = await ask(AbortSignal.timeout(ASK_MS));
  }
}

/** Waits for something, but no longer than that. */
async function within(ms: number, awaited: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  await Promise.race([awaited, late]).finally(() => clearTimeout(timer));
}
