import type { ServerResponse } from "node:http";

/** Bytes of answers that their callers have yet to take, over all connections. Beyond a bound those that wait longest are cut off. */
export class UnreadAnswers {
  /** In the order in which they began to wait. */
  readonly #byteLengths = new Map<ServerResponse, number>();
  #byteLength = 0;

  constructor(readonly byteLengthMax: number) {}

  /** Something was written. What is alone may be of any size. */
  written(outgoing: ServerResponse): void {
    const before = this.#byteLengths.get(outgoing);
    const byteLength = outgoing.writableLength;
    if (before === undefined) {
      if (byteLength === 0) return;
      outgoing.once("close", () => this.#taken(outgoing));
    }
    this.#byteLengths.set(outgoing, byteLength);
    this.#byteLength += byteLength - (before ?? 0);
    if (this.#byteLength <= this.byteLengthMax) return;
    for (const each of [...this.#byteLengths.keys()]) this.#look(each);
    for (const oldest of this.#byteLengths.keys()) {
      if (this.#byteLength <= this.byteLengthMax || oldest === outgoing) break;
      this.#taken(oldest);
      oldest.destroy();
    }
  }

  /** What was taken since. A stream whose caller took all of it waits from its next piece on. */
  #look(outgoing: ServerResponse): void {
    const { writableLength } = outgoing;
    this.#byteLength += writableLength - (this.#byteLengths.get(outgoing) ?? 0);
    if (writableLength === 0) this.#byteLengths.delete(outgoing);
    this.#byteLengths.set(outgoing, writableLength);
  }

  #taken(outgoing: ServerResponse): void {
    this.#byteLength -= this.#byteLengths.get(outgoing) ?? 0;
    this.#byteLengths.delete(outgoing);
  }
}
