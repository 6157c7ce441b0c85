import { DaybookError } from "../../base/errors.js";

/**
 * The time a question has, from now on: it is to stop when that is over, and when the caller is gone. A question asks now
 * and then, so one that ends in time costs no timer and no listener.
 */
export class Deadline {
  readonly #endMs: number;
  #isOver = false;

  /** @param caller aborted when who asks is gone */
  constructor(
    readonly caller: Pick<AbortSignal, "aborted">,
    readonly timeoutMs: number,
  ) {
    this.#endMs = performance.now() + timeoutMs;
  }

  get aborted(): boolean {
    if (this.caller.aborted) return true;
    this.#isOver ||= performance.now() >= this.#endMs;
    return this.#isOver;
  }

  /** What was thrown, in words that tell who stopped the question. */
  blame(thrown: unknown): unknown {
    if (!this.#isOver || !(thrown instanceof DaybookError) || thrown.code !== "aborted") return thrown;
    return new DaybookError("query_timeout", `the question took longer than ${this.timeoutMs} ms`);
  }
}
