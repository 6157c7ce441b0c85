import { DaybookError } from "../base/errors.js";

/** The time a question has: its signal aborts when it is over, and when the caller is gone. */
export class Deadline {
  #isOver = false;
  #controller: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #onCallerGone = (): void => undefined;

  constructor(
    readonly caller: () => AbortSignal,
    readonly timeoutMs: number,
  ) {}

  /** Made when first asked for: what stores events has no deadline, because it must tell whether they are stored. */
  get signal(): AbortSignal {
    if (this.#controller !== undefined) return this.#controller.signal;
    const controller = new AbortController();
    this.#controller = controller;
    this.#onCallerGone = () => controller.abort();
    const caller = this.caller();
    if (caller.aborted) controller.abort();
    else caller.addEventListener("abort", this.#onCallerGone, { once: true });
    this.#timer = setTimeout(() => {
      this.#isOver = true;
      controller.abort();
    }, this.timeoutMs);
    return controller.signal;
  }

  /** What was thrown, in words that tell who stopped the question. */
  blame(thrown: unknown): unknown {
    if (!this.#isOver || !(thrown instanceof DaybookError) || thrown.code !== "aborted") return thrown;
    return new DaybookError("query_timeout", `the question took longer than ${this.timeoutMs} ms`);
  }

  end(): void {
    if (this.#controller === undefined) return;
    clearTimeout(this.#timer);
    this.caller().removeEventListener("abort", this.#onCallerGone);
  }
}
