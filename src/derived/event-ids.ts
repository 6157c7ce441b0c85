/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by their columns */
import { compareIds } from "../base/uuid.js";
import { ID_COLUMN, SEQUENCE_COLUMN } from "../schema/fields.js";
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

/** Ids of some events, by sequence: what decides between events of one millisecond. Asked for seldom, so they are read when they are. */
export class EventIds {
  readonly #ids = new Map<number, Uint8Array>();

  /** 16 bytes; null where it is to be read first. */
  of(sequence: number): Uint8Array | null {
    return this.#ids.get(sequence) ?? null;
  }

  /** The order of two events of one millisecond by their ids; null where these are to be read first. */
  compare(sequence: number, other: number): number | null {
    if (sequence === other) return 0;
    const [id, otherId] = [this.#ids.get(sequence), this.#ids.get(other)];
    return id === undefined || otherId === undefined ? null : compareIds(id, 0, otherId, 0);
  }

  /** Reads ids. Cost: the ids and sequences of the segments of their days. @param rows all of a snapshot */
  async read(events: readonly EventPlace[], rows: readonly Rows[]): Promise<void> {
    const wanted = new Set(events.map(({ sequence }) => sequence));
    const days = new Set(events.map(({ day }) => day));
    for (const part of rows) {
      if (!days.has(part.day)) continue;
      part.pin();
      try {
        await part.load([ID_COLUMN, SEQUENCE_COLUMN]);
        const [ids, sequences] = [part.ids(), part.sequences()];
        for (let row = 0; row < sequences.length; row += 1)
          if (wanted.has(sequences[row]!)) this.#ids.set(sequences[row]!, ids.slice(row * 16, row * 16 + 16));
      } finally {
        part.unpin();
      }
    }
  }
}
