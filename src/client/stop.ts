import { DaybookError } from "../base/errors.js";
import { SERVER_LIMITS } from "../base/server-limits.js";
import type { Machine } from "./machine.js";

/** What ends a call before its time: who asked gives up, the client is closed, or its time is over. */
export class Stop {
  readonly #stopped = new AbortController();
  readonly #ended = new AbortController();

  /**
   * @param signal of who asks: listened to where it can be, else looked at again and again
   * @param late what is thrown when the time is over
   */
  constructor(machine: Machine, timeoutMs: number, signal: Pick<AbortSignal, "aborted"> | undefined, late: () => DaybookError) {
    void this.#expire(machine, timeoutMs, late);
    if (signal !== undefined) this.#watch(machine, signal);
  }

  /** Aborted when the call is to end; its reason is a DaybookError. */
  get signal(): AbortSignal {
    return this.#stopped.signal;
  }

  stop(reason: DaybookError): void {
    this.#stopped.abort(reason);
  }

  /** @throws the reason, if the call is to end */
  check(): void {
    if (this.signal.aborted) throw this.signal.reason;
  }

  /** Settles as what `act` begins, or rejects with the reason as soon as the call is to end. */
  async race<T>(act: () => Promise<T>): Promise<T> {
    this.check();
    const { signal } = this;
    let listener = () => {};
    const stopped = new Promise<never>((_, reject) => {
      listener = () => reject(signal.reason as DaybookError);
      signal.addEventListener("abort", listener, { once: true });
    });
    try {
      return await Promise.race([act(), stopped]);
    } finally {
      signal.removeEventListener("abort", listener);
    }
  }

  /** Called once, when the call is over: nothing goes on behind it. */
  end(): void {
    this.#ended.abort();
  }

  async #expire(machine: Machine, timeoutMs: number, late: () => DaybookError): Promise<void> {
    await machine.sleep(timeoutMs, this.#ended.signal);
    if (!this.#ended.signal.aborted) this.stop(late());
  }

  #watch(machine: Machine, signal: Pick<AbortSignal, "aborted">): void {
    const abort = () => this.stop(new DaybookError("aborted", "the query was stopped by its signal"));
    if (signal.aborted) return abort();
    if (isListenable(signal)) return signal.addEventListener("abort", abort, { once: true, signal: this.#ended.signal });
    void this.#poll(machine, signal, abort);
  }

  async #poll(machine: Machine, signal: Pick<AbortSignal, "aborted">, abort: () => void): Promise<void> {
    while (!signal.aborted) {
      await machine.sleep(SERVER_LIMITS.clientSignalMs, this.#ended.signal);
      if (this.#ended.signal.aborted) return;
    }
    abort();
  }
}

function isListenable(signal: Pick<AbortSignal, "aborted">): signal is AbortSignal {
  return typeof (signal as Partial<AbortSignal>).addEventListener === "function";
}
