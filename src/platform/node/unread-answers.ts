import type { ServerResponse } from "node:http";

/** Bytes of answers that callers have yet to read, over all connections. Above a bound, the answers that wait longest are cut off. */
export class UnreadAnswers {
  /** In the order in which they started to wait. */
  readonly #byteLengths = new Map<ServerResponse, number>();
  #byteLength = 0;

  constructor(readonly byteLengthMax: number) {}

  /** Call after each write. A single answer may be of any size. */
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

  /** Updates what was read since. A stream that was read completely counts as waiting from its next chunk on. */
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
