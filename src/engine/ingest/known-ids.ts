/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by the row count */
import { getOrMake } from "../../core/base/arrays.js";
import { Scratch } from "../../core/base/scratch.js";
import { dayOf } from "../../core/base/time.js";
import { runYielding, yieldAfterSlices } from "../../core/base/yield.js";
import { uuidText } from "../../core/base/uuid.js";
import { PROJECT_COLUMN, fieldIndex } from "../../core/schema/fields.js";
import { type EventKey, IdIndex, hasEvent, projectSalt } from "../../storage/segment/event-order.js";
import type { Head } from "../../storage/segment/head.js";
import { whilePinned } from "../../storage/segment/rows.js";
import type { ProjectTexts } from "../../storage/segment/segment.js";
import { IdTable, idParts } from "../../store/batch/id-table.js";
import type { BatchBuilder } from "../../store/batch/batch.js";
import type { Store } from "../../store/live/store.js";

/** The ids of a batch that is being filled. They are read only when a fingerprint matches. */
export class BatchIds {
  readonly #ids = new Set<string>();
  #rowCount = 0;

  constructor(
    readonly builder: BatchBuilder,
    readonly projects: ProjectTexts,
  ) {}

  has({ id, project }: EventKey): boolean {
    const { builder, projects } = this;
    const codes = builder.codes[fieldIndex(PROJECT_COLUMN)]!;
    for (; this.#rowCount < builder.rowCount; this.#rowCount += 1)
      this.#ids.add(uuidText(builder.ids, this.#rowCount * 16) + projects.valueOf(codes[this.#rowCount]!));
    return this.#ids.has(uuidText(id) + project);
  }
}

/** Finds events that are stored already, by project and id, however old. Fingerprints find candidates, the stored ids confirm them. */
export class KnownIds {
  readonly #table: IdTable;
  readonly #heads = new WeakMap<Head, IdIndex>();

  private constructor(
    readonly store: Store,
    seed: number,
  ) {
    this.#table = new IdTable(seed);
  }

  /** Reads the ids of all rows, and the values that new ones are compared with, yielding. Cost: 17 bytes a row, once per opening for writing. */
  static async of(store: Store, seed: number): Promise<KnownIds> {
    const known = new KnownIds(store, seed);
    const snapshot = store.snapshot();
    const projects = store.dictionaries.named(PROJECT_COLUMN);
    const pause = yieldAfterSlices();
    try {
      await runYielding(store.dictionaries.indexing(), pause);
      // All at once: a table that grows with each day would move its content some twenty times, and the first write would wait for it.
      await runYielding(known.#table.reserving(snapshot.rows.reduce((sum, { rowCount }) => sum + rowCount, 0)), pause);
      for (const rows of snapshot.rows)
        await whilePinned([rows], () => Scratch.of(async (scratch) => {
          // Requested together: one read gets both if they are small.
          const [column, ids] = await Promise.all([rows.readOnce(PROJECT_COLUMN, scratch), rows.readIdsOnce(scratch)]);
          const codes = column.all();
          for (const { part, first } of idParts(ids)) {
            const count = part.length / 16;
            known.lookUp(part, count, (row) => projects.valueOf(codes[first + row]!));
            for (let row = 0; row < count; row += 1) known.add(row);
            await pause();
          }
          known.keep();
        }));
    } finally {
      snapshot.release();
    }
    return known;
  }

  get byteLength(): number {
    return this.#table.byteLength;
  }

  /** Whether `count` more ids can be added without moving others, after which `undo` no longer works. */
  hasRoom(count: number): boolean {
    return this.#table.hasRoom(count);
  }

  /** Makes room for `count` more ids. All ids must be kept. */
  reserve(count: number): void {
    this.#table.reserve(count);
  }

  /** Prepares `mayHave` and `add` for the first `count` ids of 16 bytes: looked up together, their memory accesses overlap. */
  lookUp(ids: Uint8Array, count: number, projectOf: (row: number) => string): void {
    this.#table.probe(ids, count, projectOf);
  }

  /** Whether the fingerprint of a row is known, added rows included. Confirm it with `has`. */
  mayHave(row: number): boolean {
    return this.#table.hasSeen(row);
  }

  add(row: number): void {
    this.#table.addSeen(row);
  }

  /** Makes the oldest `count` added ids final; the others are removed by `undo`. */
  keep(count?: number): void {
    this.#table.keep(count);
  }

  undo(): void {
    this.#table.undo();
  }

  get isMostlyGone(): boolean {
    const storedCount = this.store.catalog.segments.reduce((sum, { rowCount }) => sum + rowCount, 0);
    return this.#table.count > 2 * storedCount;
  }

  /** Whether an event is stored, or in one of the batches that are not stored yet. */
  async has(key: EventKey, createdAtMs: number, batches: readonly BatchIds[]): Promise<boolean> {
    const day = dayOf(createdAtMs);
    const { catalog } = this.store;
    for (const head of [...catalog.sealing, ...catalog.heads]) if (this.#headHas(head, key)) return true;
    if (batches.some((batch) => batch.has(key))) return true;
    // The snapshot keeps every segment, and its file, between two reads.
    const snapshot = this.store.snapshot();
    try {
      const sealed = snapshot.rows.filter((rows) => rows.sealed);
      for (const segment of sealed) if (segment.day === day && (await hasEvent(segment, key))) return true;
      // An event that is sent again with another time mostly has one soon after.
      const others = sealed.filter((segment) => segment.day !== day).sort((a, b) => Math.abs(a.day - day) - Math.abs(b.day - day) || a.day - b.day);
      for (const segment of others) if (await hasEvent(segment, key)) return true;
      return false;
    } finally {
      snapshot.release();
    }
  }

  #headHas(head: Head, { id, project }: EventKey): boolean {
    const index = getOrMake(this.#heads, head, () => new IdIndex(undefined, (row) => projectSalt(head.view().projectOf(row))));
    const view = head.view();
    return index.find(view.ids(), id, 0, (row) => view.projectOf(row) === project, projectSalt(project)) >= 0;
  }
}
