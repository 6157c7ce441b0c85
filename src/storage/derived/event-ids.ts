/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by their columns */
import { ID_COLUMN, SEQUENCE_COLUMN } from "../../core/schema/fields.js";
import { compareKeys, eventKeyOf, type EventKey } from "../segment/event-order.js";
import { whilePinned, type Rows } from "../segment/rows.js";

export interface EventPlace {
  readonly sequence: number;
  readonly day: number;
}

/** An event's time, and the sequence by which its key is found. */
export interface EventTime {
  readonly ms: number;
  readonly sequence: number;
}

/** Keys of some events by sequence. They order events within a millisecond; this is rarely needed, so they are read on demand. */
export class EventIds {
  readonly #keys = new Map<number, EventKey>();

  /** Null: not read yet. */
  of(sequence: number): EventKey | null {
    return this.#keys.get(sequence) ?? null;
  }

  /** Compares two events of one millisecond by their keys; null when these must be read first. */
  compare(sequence: number, other: number): number | null {
    if (sequence === other) return 0;
    const [key, otherKey] = [this.#keys.get(sequence), this.#keys.get(other)];
    return key === undefined || otherKey === undefined ? null : compareKeys(key, otherKey);
  }

  /** Reads keys. Cost: the ids and sequences of the segments of these days. @param rows all rows of a snapshot */
  async read(events: readonly EventPlace[], rows: readonly Rows[]): Promise<void> {
    const wanted = new Set(events.map(({ sequence }) => sequence));
    const days = new Set(events.map(({ day }) => day));
    for (const part of rows) {
      if (!days.has(part.day)) continue;
      await whilePinned([part], async () => {
        await part.load([ID_COLUMN, SEQUENCE_COLUMN]);
        const sequences = part.sequences();
        for (let row = 0; row < sequences.length; row += 1)
          if (wanted.has(sequences[row]!)) this.#keys.set(sequences[row]!, eventKeyOf(part, row));
      });
    }
  }
}
