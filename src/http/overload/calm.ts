import { SERVER_LIMITS } from "../../base/server-limits.js";

/** How often it is looked whether the event loop has caught up, in ms. */
const LOOK_MS = 10;

interface Waiting {
  readonly byteLength: number;
  readonly untilMs: number;
  readonly enter: (isIn: boolean) => void;
}

/** Short writes that wait while the event loop is late, in order of arrival. */
export class Calm {
  readonly #waiting: Waiting[] = [];
  #byteLength = 0;

  constructor(readonly isLate: () => boolean) {}

  /** Resolves with true when it may go on. False: there is no room to wait, or it waited too long. */
  wait(byteLength: number): false | Promise<boolean> {
    const isFull = this.#waiting.length >= SERVER_LIMITS.waitingWriteCount || this.#byteLength + byteLength > SERVER_LIMITS.waitingBytes;
    if (byteLength > SERVER_LIMITS.waitingWriteBytes || isFull) return false;
    this.#byteLength += byteLength;
    if (this.#waiting.length === 0) setTimeout(this.#look, LOOK_MS);
    return new Promise((enter) => this.#waiting.push({ byteLength, untilMs: performance.now() + SERVER_LIMITS.waitingWriteMs, enter }));
  }

  readonly #look = (): void => {
    // Not all at once: it would be late again.
    const calmCount = this.isLate() ? 0 : SERVER_LIMITS.calmWriteCount;
    for (let count = 0; count < calmCount && this.#waiting.length > 0; count += 1) this.#leave(true);
    const nowMs = performance.now();
    while ((this.#waiting[0]?.untilMs ?? Infinity) <= nowMs) this.#leave(false);
    if (this.#waiting.length > 0) setTimeout(this.#look, LOOK_MS);
  };

  #leave(isIn: boolean): void {
    const first = this.#waiting.shift();
    if (first === undefined) return;
    this.#byteLength -= first.byteLength;
    first.enter(isIn);
  }
}
