/** How long good news are believed, and from one question to the next. */
const FRESH_MS = 1_000;
/** How long somebody who wants to know waits at the most; then what was known before is answered. */
const WAIT_MS = 1_000;
/** How long the servers have to answer. */
const ASK_MS = 5_000;

/** What came of a statement: an answer; that a quota is used up, or that there can be no answer; nothing; nothing, and it may not have been sent. */
export type StatementOutcome = "answered" | "exhausted" | "refused" | "gone" | "unsent";

/** Whether there is a server that answers, by how statements ended, and by asking where these tell too little. */
export class Reach {
  #isThere = true;
  #isRefused = false;
  #isDoubted = false;
  #goodMs = -Infinity;
  #goodCount = 0;
  #askedMs = -Infinity;
  #asking: Promise<void> | null = null;

  /** Whether the last statement of which there is news found nobody. */
  get isDoubted(): boolean {
    return this.#isDoubted;
  }

  /** How a statement ended. A bad end may be that statement's alone: then the servers are asked. */
  told(outcome: StatementOutcome): void {
    this.#isDoubted = outcome === "gone";
    if (outcome !== "answered") this.#goodMs = -Infinity;
    // Where what all questions need is refused, what only some of them read may be answered.
    else if (!this.#isRefused) {
      this.#isThere = true;
      this.#goodMs = performance.now();
      this.#goodCount += 1;
    }
  }

  /** @param ask a small statement that reads what any question needs; never rejects */
  async isThere(ask: (signal: AbortSignal) => Promise<StatementOutcome>): Promise<boolean> {
    const nowMs = performance.now();
    if (nowMs - this.#goodMs < FRESH_MS) return true;
    if (nowMs - this.#askedMs >= FRESH_MS && this.#asking === null) {
      this.#askedMs = nowMs;
      this.#asking = this.#ask(ask).finally(() => (this.#asking = null));
    }
    if (this.#asking !== null) await within(WAIT_MS, this.#asking);
    return this.#isThere;
  }

  async #ask(ask: (signal: AbortSignal) => Promise<StatementOutcome>): Promise<void> {
    const goodCount = this.#goodCount;
    const outcome = await ask(AbortSignal.timeout(ASK_MS));
    // What ended well since it was asked is newer.
    if (outcome === "unsent" || (outcome === "gone" && this.#goodCount !== goodCount)) return;
    this.#isRefused = outcome === "refused" || outcome === "exhausted";
    if (outcome !== "answered") this.#isThere = false;
    this.told(outcome);
  }
}

/** Waits for something, but no longer than that. */
async function within(ms: number, awaited: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  await Promise.race([awaited, late]).finally(() => clearTimeout(timer));
}
