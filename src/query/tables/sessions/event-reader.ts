import { Scratch } from "../../../core/base/scratch.js";
import type { Turns } from "../../../core/base/turn.js";
import { Prefetch } from "../../../storage/segment/prefetch.js";
import type { Rows } from "../../../storage/segment/rows.js";
import { whilePinned } from "../../../storage/segment/while-pinned.js";
import type { EventColumns, EventSource } from "./event-columns.js";

/** Reads the events of segments and heads, yielding. */
export class EventReader {
  constructor(
    readonly source: EventSource,
    readonly turns: Turns,
    readonly looked: (rowCount: number) => void,
    /** Columns to load besides those of events. */
    readonly more: readonly string[] = [],
  ) {}

  /** Loads rows that are requested one after the other. */
  loadsOf(all: readonly Rows[]): Prefetch {
    return new Prefetch(all, (rows) => rows.load([...this.source.columnsOf(rows), ...this.more]));
  }

  /** Reads rows one after the other; meanwhile the next ones load. @param ahead loads of these rows, and of others that may be read after them */
  async readEach(all: readonly Rows[], look: (rows: Rows, read: EventColumns) => void | Promise<void>, ahead: Prefetch | null = null): Promise<void> {
    const loads = ahead ?? this.loadsOf(all);
    try {
      for (const rows of all)
        await whilePinned([rows], async () => {
          await loads.of(rows);
          await Scratch.of(async (scratch) => await look(rows, this.source.read(rows, scratch)));
          await this.turns.took(rows.rowCount);
        });
    } finally {
      if (ahead === null) loads.release();
    }
  }
}
