/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by their columns */
import { ID_COLUMN, SEQUENCE_COLUMN } from "../schema/fields.js";
import { compareKeys, eventKeyOf, type EventKey } from "../segment/event-order.js";
import type { Rows } from "../segment/rows.js";

/** An event by its sequence, and the day on which its rows lie. */
export interface EventPlace {
  readonly sequence: number;
  readonly day: number;
}

/** An event by its time and sequence, and so in the order of events. */
export interface EventMoment {
  readonly ms: number;
  readonly sequence: number;
}

/** Keys of some events, by sequence: what decides between events of one millisecond. Asked for seldom, so they are read when they are. */
export class EventIds {
  readonly #keys = new Map<number, EventKey>();

  /** Null where it is to be read first. */
  of(sequence: number): EventKey | null {
    return this.#keys.get(sequence) ?? null;
  }

  /** The order of two events of one millisecond by their keys; null where these are to be read first. */
  compare(sequence: number, other: number): number | null {
    if (sequence === other) return 0;
    const [key, otherKey] = [this.#keys.get(sequence), this.#keys.get(other)];
    return key === undefined || otherKey === undefined ? null : compareKeys(key, otherKey);
  }

  /** Reads keys. Cost: the ids and sequences of the segments of their days. @param rows all of a snapshot */
  async read(events: readonly EventPlace[], rows: readonly Rows[]): Promise<void> {
    const wanted = new Set(events.map(({ sequence }) => sequence));
    const days = new Set(events.map(({ day }) => day));
    for (const part of rows) {
      if (!days.has(part.day)) continue;
      part.pin();
      try {
        await part.load([ID_COLUMN, SEQUENCE_COLUMN]);
        const sequences = part.sequences();
        for (let row = 0; row < sequences.length; row += 1)
          if (wanted.has(sequences[row]!)) this.#keys.set(sequences[row]!, eventKeyOf(part, row));
      } finally {
        part.unpin();
      }
    }
  }
}
