import { SERVER_LIMITS } from "../../core/base/server-limits.js";

interface WaitingBody {
  readonly byteLength: number;
  readonly enter: () => void;
}

/**
 * Limits the bytes of bodies that are parsed but not yet written and answered, in order of arrival; a body alone may have any size.
 * A waiting body takes a tenth of the memory of its parsed objects, and the garbage collector does not move it.
 */
export class ParseRoom {
  #byteLength = 0;
  readonly #waiting: WaitingBody[] = [];

  constructor(readonly parsedBytes: number = SERVER_LIMITS.parsedBytes) {}

  /** Resolves when a body of that many bytes may be parsed; null: now. Each `enter` needs one `leave`. */
  enter(byteLength: number): Promise<void> | null {
    if (this.#waiting.length === 0 && this.#has(byteLength)) {
      this.#byteLength += byteLength;
      return null;
    }
    return new Promise((resolve) => this.#waiting.push({ byteLength, enter: resolve }));
  }

  /** Releases an entered body once its parsed values are no longer needed. */
  leave(byteLength: number): void {
    this.#byteLength -= byteLength;
    for (let next = this.#waiting[0]; next !== undefined && this.#has(next.byteLength); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#byteLength += next.byteLength;
      next.enter();
    }
  }

  #has(byteLength: number): boolean {
    return this.#byteLength === 0 || this.#byteLength + byteLength <= this.parsedBytes;
  }
}
