import { SERVER_LIMITS } from "../../base/server-limits.js";

/** One that waits for room. */
interface WaitingBody {
  readonly byteLength: number;
  readonly enter: () => void;
}

/**
 * Lets so many bytes of bodies that are to be written be parsed and not yet answered, in order of arrival; a body that is alone may be of any size.
 * Bodies that wait as bytes are a tenth of the objects they become, and the collector does not move them.
 */
export class ParseRoom {
  #byteLength = 0;
  readonly #waiting: WaitingBody[] = [];

  constructor(readonly parsedBytes: number = SERVER_LIMITS.parsedBytes) {}

  /** Resolves when a body of so many bytes may be parsed; null: now. Whoever entered leaves. */
  enter(byteLength: number): Promise<void> | null {
    if (this.#waiting.length === 0 && this.#has(byteLength)) {
      this.#byteLength += byteLength;
      return null;
    }
    return new Promise((resolve) => this.#waiting.push({ byteLength, enter: resolve }));
  }

  /** What became of a body that had entered is no longer needed. */
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
