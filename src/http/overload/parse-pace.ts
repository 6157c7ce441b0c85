import { LIMITS } from "../../base/limits.js";
import { nextTurn } from "../../base/turn.js";

/**
 * Lets so many bytes of bodies be parsed in one turn of the event loop, in order of arrival. Many long bodies that
 * arrive together would be parsed in a row, and whoever is to be refused would hear of it after all of them.
 */
export class ParsePace {
  #takenByteLength = 0;
  /** Ends with the turn in which bodies were taken. */
  #turn: Promise<void> | null = null;
  #last: Promise<void> | null = null;

  constructor(readonly bytesPerTurn: number = LIMITS.parsedBytesPerTurn) {}

  /** Resolves when a body of so many bytes may be parsed. */
  wait(byteLength: number): Promise<void> {
    const mine = this.#take(this.#last, byteLength);
    this.#last = mine;
    void mine.then(() => {
      if (this.#last === mine) this.#last = null;
    });
    return mine;
  }

  async #take(before: Promise<void> | null, byteLength: number): Promise<void> {
    await before;
    if (this.#takenByteLength > 0 && this.#takenByteLength + byteLength > this.bytesPerTurn) await this.#turn;
    if (this.#takenByteLength === 0) this.#turn = this.#nextTurn();
    this.#takenByteLength += byteLength;
  }

  async #nextTurn(): Promise<void> {
    await nextTurn();
    this.#takenByteLength = 0;
  }
}
