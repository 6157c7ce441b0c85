import type { Turns } from "../../base/turn.js";
import type { SessionColumns } from "./session-columns.js";

/** Of so many events first it is seen how many sessions they have. */
const SAMPLE_COUNT = 64 * 1024;
/** The rest may have more sessions for an event. */
const SPARE = 1.1;

/** Makes room for the sessions of many events by how many there are of the first ones: to copy columns that are full is as dear as to fill them. */
export class RoomAhead {
  #eventCount = 0;
  #countBefore = 0;

  /** @param spareCount sessions that there is to be room for behind all */
  constructor(
    readonly columns: SessionColumns,
    readonly allCount: number,
    readonly spareCount: number,
    readonly turns: Turns,
  ) {
    columns.reserve(Math.min(allCount, SAMPLE_COUNT) + spareCount);
  }

  /** More events are about to come; null where there is room for a session of each. @param areSample whether the other ones are like these */
  before(count: number, areSample: boolean): Promise<void> | null {
    const { columns, spareCount } = this;
    if (this.#eventCount === 0) this.#countBefore = columns.count;
    const isFull = columns.count + count + spareCount > columns.capacity;
    const growing = isFull ? columns.reserveInTurns(this.#expectedCount(count) + spareCount, this.turns) : null;
    if (areSample) this.#eventCount += count;
    return growing;
  }

  #expectedCount(count: number): number {
    const needed = this.columns.count + count;
    if (this.#eventCount === 0) return needed;
    const perEvent = (this.columns.count - this.#countBefore) / this.#eventCount;
    return Math.max(needed, this.#countBefore + Math.ceil(perEvent * this.allCount * SPARE));
  }
}
