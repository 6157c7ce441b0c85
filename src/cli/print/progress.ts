import { count, duration } from "./format.js";

const TERMINAL_EVERY_MS = 100;
const PIPE_EVERY_MS = 5_000;

/** Shows progress on stderr: one line rewritten on a terminal, a plain line now and then when piped. */
export class Progress {
  readonly #startedMs = performance.now();
  readonly #label: string;
  readonly #terminal = process.stderr.isTTY === true;
  #shownMs = performance.now();

  constructor(label: string) {
    this.#label = label;
  }

  /** Cheap to call: prints at most every 100 ms on a terminal, every 5 s when piped. */
  at(rowCount: number): void {
    const nowMs = performance.now();
    if (nowMs - this.#shownMs < (this.#terminal ? TERMINAL_EVERY_MS : PIPE_EVERY_MS)) return;
    this.#shownMs = nowMs;
    const perSecond = Math.round((rowCount * 1000) / (nowMs - this.#startedMs));
    const line = `${this.#label}: ${count(rowCount)} rows, ${count(perSecond)} per second`;
    process.stderr.write(this.#terminal ? `\r\u001b[K${line}` : `${line}\n`);
  }

  /** Clears the line of a terminal; returns how long the work took, as text. */
  end(): string {
    if (this.#terminal) process.stderr.write("\r\u001b[K");
    return duration(performance.now() - this.#startedMs);
  }
}
