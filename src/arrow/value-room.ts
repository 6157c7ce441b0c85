import { DaybookError } from "../base/errors.js";

/**
 * Counts the bytes that the values of a body take as JSON, by estimate. Rows that share a value, or have none, take next to nothing of a body's own
 * bytes, and as much time as others.
 */
export class ValueRoom {
  #byteLength = 0;

  constructor(readonly maxByteLength: number = Infinity) {}

  /** Taken by now. */
  get byteLength(): number {
    return this.#byteLength;
  }

  /** Takes nothing, but tells whether so much is left. @throws body_too_large */
  expect(byteLength: number): void {
    const wanted = this.#byteLength + byteLength;
    if (wanted <= this.maxByteLength) return;
    throw new DaybookError("body_too_large", `expected events that take at most ${this.maxByteLength} bytes as JSON, these take ${wanted} or more`);
  }

  /** @throws body_too_large */
  take(byteLength: number): void {
    if (this.#byteLength + byteLength > this.maxByteLength) this.expect(byteLength);
    this.#byteLength += byteLength;
  }
}
