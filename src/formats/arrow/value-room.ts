import { DaybookError } from "../../core/base/errors.js";

/**
 * Counts the estimated bytes of a body's values as JSON. Rows that share a value, or have none, take almost no bytes of the body itself, but as
 * much time as others.
 */
export class ValueRoom {
  #byteLength = 0;

  constructor(readonly maxByteLength: number = Infinity) {}

  get byteLength(): number {
    return this.#byteLength;
  }

  /** Checks that so many bytes are left, without counting them. @throws body_too_large */
  expect(byteLength: number): void {
    const wanted = this.#byteLength + byteLength;
    if (wanted <= this.maxByteLength) return;
    throw new DaybookError("body_too_large", `expected events of at most ${this.maxByteLength} bytes as JSON, got ${wanted} bytes or more`);
  }

  /** Counts bytes. @throws body_too_large */
  take(byteLength: number): void {
    if (this.#byteLength + byteLength > this.maxByteLength) this.expect(byteLength);
    this.#byteLength += byteLength;
  }
}
