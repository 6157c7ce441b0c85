import { CODES, isOfNumber } from "./errors.js";

/** How long a success counts, and the least interval between probes. */
const FRESH_MS = 1_000;
/** Longest wait of a caller; then it gets the last known state. */
const WAIT_MS = 1_000;
const PROBE_MS = 5_000;

/** How a statement ended: with an answer; a used-up quota; a refusal; no answer; no answer, and perhaps unsent. */
export type StatementOutcome = "answered" | "exhausted" | "refused" | "gone" | "unsent";

/** Whether the servers answer: inferred from how statements end, and from a probe where these say too little. */
export class Reachability {
  #isReachable = true;
  #isRefused = false;
  #isSuspect = false;
  #lastSuccessMs = -Infinity;
  #successCount = 0;
  #probedMs = -Infinity;
  #probing: Promise<void> | null = null;

  get isSuspect(): boolean {
    return this.#isSuspect;
  }

  /** Reports how a statement ended. A failure may concern only that statement, so the next check probes the servers. */
  record(outcome: StatementOutcome): void {
    this.#isSuspect = outcome === "gone";
    if (outcome !== "answered") this.#lastSuccessMs = -Infinity;
    // While what all queries need is refused, a statement that reads less may still succeed and proves nothing.
    else if (!this.#isRefused) {
      this.#isReachable = true;
      this.#lastSuccessMs = performance.now();
      this.#successCount += 1;
    }
  }

  /** @param probe sends a small statement that reads what any query needs; never rejects */
  async isReachable(probe: (signal: AbortSignal) => Promise<StatementOutcome>): Promise<boolean> {
    const nowMs = performance.now();
    if (nowMs - this.#lastSuccessMs < FRESH_MS) return true;
    if (nowMs - this.#probedMs >= FRESH_MS && this.#probing === null) {
      this.#probedMs = nowMs;
      this.#probing = this.#probe(probe).finally(() => (this.#probing = null));
    }
    if (this.#probing !== null) await within(WAIT_MS, this.#probing);
    return this.#isReachable;
  }

  async #probe(probe: (signal: AbortSignal) => Promise<StatementOutcome>): Promise<void> {
    const successCount = this.#successCount;
    const outcome = await probe(AbortSignal.timeout(PROBE_MS));
    // A statement that succeeded since the probe began is newer.
    if (outcome === "unsent" || (outcome === "gone" && this.#successCount !== successCount)) return;
    this.#isRefused = outcome === "refused" || outcome === "exhausted";
    if (outcome !== "answered") this.#isReachable = false;
    this.record(outcome);
  }
}

async function within(ms: number, awaited: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  await Promise.race([awaited, late]).finally(() => clearTimeout(timer));
}

/** How long an insert retries while others into its table are under way, in ms: servers with replicas run them one at a time. */
const CONFLICT_RETRY_MS = 60_000;
const PAUSE_MS = 100;

export function conflictEndMs(): number {
  return performance.now() + CONFLICT_RETRY_MS;
}

/** Runs a write again while the server refuses it because another insert into the table is under way. */
export async function inTurn(run: () => Promise<unknown>, endMs = conflictEndMs()): Promise<void> {
  for (;;) {
    try {
      await run();
      return;
    } catch (error) {
      if (!isOfNumber(error, CODES.overloaded.UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE) || performance.now() > endMs) throw error;
    }
    // Of random length: two waiting inserts must not collide forever.
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * (1 + Math.random())));
  }
}
