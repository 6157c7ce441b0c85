/* eslint-disable @typescript-eslint/no-non-null-assertion -- sessions are bounded by their columns */
import type { Turns } from "../../../core/base/turn.js";
import { NONE } from "./part.js";
import type { SessionColumns } from "./session-columns.js";

/** Cost of a session, in values read. */
const VALUES_PER_SESSION = 4;

/** The first events of sessions after rows moved to other parts. Has columns of its own, because older views read the former ones. */
export class MovedFirstEvents {
  readonly parts: Uint32Array<ArrayBuffer>;
  readonly rows: Uint32Array<ArrayBuffer>;
  /** Sessions whose first event is not found yet. */
  #missingCount = 0;
  /** Whether the first event of a session was found in two added parts. */
  #isInTwo = false;

  private constructor(
    readonly columns: SessionColumns,
    /** Parts from this number on were added. */
    readonly firstAdded: number,
  ) {
    this.parts = new Uint32Array(columns.capacity);
    this.rows = new Uint32Array(columns.capacity);
  }

  /** @param numbers by former number of a part: its current one, or `NONE` if it is gone. Cost: all sessions, yielding */
  static async of(columns: SessionColumns, numbers: Uint32Array, firstAdded: number, turns: Turns): Promise<MovedFirstEvents> {
    const moved = new MovedFirstEvents(columns, firstAdded);
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

  /** Notes an event of an added part at the start of its session. Call it in event order within a part. */
  found(session: number, part: number, row: number): void {
    const known = this.parts[session]!;
    if (known === NONE) {
      this.parts[session] = part;
      this.rows[session] = row;
      this.#missingCount -= 1;
    } else if (known >= this.firstAdded && known !== part) this.#isInTwo = true;
  }

  /** Whether the first event of each session was found, and no ids have to decide between two parts. */
  get areSure(): boolean {
    return this.#missingCount === 0 && !this.#isInTwo;
  }
}
