/* eslint-disable @typescript-eslint/no-non-null-assertion -- sessions are bounded by their columns */
import type { Turns } from "../../base/turn.js";
import { NONE } from "./part.js";
import type { SessionColumns } from "./session-columns.js";

/** What a session costs, in values. */
const VALUES_PER_SESSION = 4;

/** With which events sessions begin, when these lie in other parts. Columns of their own: those of before are read by older views. */
export class MovedFirsts {
  readonly parts: Uint32Array<ArrayBuffer>;
  readonly rows: Uint32Array<ArrayBuffer>;
  /** Sessions whose first event was not found as yet. */
  #missingCount = 0;
  /** Whether one was found in two parts that came since. */
  #isInTwo = false;

  private constructor(
    readonly columns: SessionColumns,
    /** Parts from this number on came since. */
    readonly firstAdded: number,
  ) {
    this.parts = new Uint32Array(columns.capacity);
    this.rows = new Uint32Array(columns.capacity);
  }

  /** @param numbers by number of a part: the one it has now, or `NONE` where it is gone. Cost: all sessions, in turns */
  static async of(columns: SessionColumns, numbers: Uint32Array, firstAdded: number, turns: Turns): Promise<MovedFirsts> {
    const moved = new MovedFirsts(columns, firstAdded);
    const { firstParts, firstRows, heirs } = columns;
    await turns.inPieces(columns.count, (from, to) => {
      for (let session = from; session < to; session += 1) {
        const part = numbers[firstParts[session]!]!;
        moved.parts[session] = part;
        moved.rows[session] = firstRows[session]!;
        if (part === NONE && heirs[session] === 0) moved.#missingCount += 1;
      }
    }, VALUES_PER_SESSION);
    return moved;
  }

  /** An event of a part that came lies where its session begins: of one part the first in order is to be told first. */
  found(session: number, part: number, row: number): void {
    const known = this.parts[session]!;
    if (known === NONE) {
      this.parts[session] = part;
      this.rows[session] = row;
      this.#missingCount -= 1;
    } else if (known >= this.firstAdded && known !== part) this.#isInTwo = true;
  }

  /** Whether each session was found to begin with one event, and no ids decide between events of two parts. */
  get areSure(): boolean {
    return this.#missingCount === 0 && !this.#isInTwo;
  }
}
