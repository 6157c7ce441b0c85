import { dayOf } from "../base/time.js";
import { uuidText } from "../base/uuid.js";
import { ID_COLUMN } from "../schema/fields.js";
import { IdIndex, hasId } from "../segment/find-id.js";
import type { Head } from "../segment/head.js";
import { IdTable } from "../store/id-table.js";
import type { BatchBuilder } from "../store/batch.js";
import type { Store } from "../store/store.js";

/** Which event ids a store holds: exact, for ever. A fingerprint says probably, the stored ids say surely. */
export class KnownIds {
  readonly #table: IdTable;
  readonly #heads = new WeakMap<Head, IdIndex>();
  /** Ids of the batch under way, made when a fingerprint first matched within it. */
  #batchIds: Set<string> | null = null;

  private constructor(
    readonly store: Store,
    seed: number,
  ) {
    this.#table = new IdTable(seed);
  }

  /** Reads the ids of all rows. Cost: 16 bytes a row, once per opening for writing. */
  static async of(store: Store, seed: number): Promise<KnownIds> {
    const known = new KnownIds(store, seed);
    const snapshot = store.snapshot();
    try {
      for (const rows of snapshot.rows) {
        rows.pin();
        try {
          await rows.load([ID_COLUMN]);
          known.#table.reserve(rows.rowCount);
          const ids = rows.ids();
          for (let at = 0; at < ids.length; at += 16) known.#table.add(ids, at);
          known.#table.keep();
        } finally {
          rows.unpin();
        }
      }
    } finally {
      snapshot.release();
    }
    return known;
  }

  get byteLength(): number {
    return this.#table.byteLength;
  }

  /** Before a batch: room for its ids. */
  begin(rowCount: number): void {
    this.#table.reserve(rowCount);
    this.#batchIds = null;
  }

  /** Whether the id may be known; if not, it is certainly new. */
  mayHave(id: Uint8Array): boolean {
    return this.#table.matches(id, 0);
  }

  /** Whether the id is stored, or among the rows of the batch under way. */
  async has(id: Uint8Array, createdAtMs: number, batch: BatchBuilder): Promise<boolean> {
    const day = dayOf(createdAtMs);
    const { catalog } = this.store;
    for (const head of [...catalog.sealing, ...catalog.heads]) if (this.#headHas(head, id)) return true;
    if (this.#batchHas(id, batch)) return true;
    // Held, so that no segment is compacted away, its file with it, between two reads.
    const snapshot = this.store.snapshot();
    try {
      const segments = snapshot.rows.filter((rows) => rows.sealed);
      for (const segment of segments) if (segment.day === day && (await hasId(segment, id, 0))) return true;
      for (const segment of segments) if (segment.day !== day && (await hasId(segment, id, 0))) return true;
      return false;
    } finally {
      snapshot.release();
    }
  }

  add(id: Uint8Array): void {
    this.#table.add(id, 0);
    this.#batchIds?.add(uuidText(id));
  }

  /** The batch is stored. */
  keep(): void {
    this.#table.keep();
  }

  /** The batch came to nothing. */
  undo(): void {
    this.#table.undo();
  }

  #headHas(head: Head, id: Uint8Array): boolean {
    let index = this.#heads.get(head);
    if (index === undefined) {
      index = new IdIndex();
      this.#heads.set(head, index);
    }
    return index.has(head.view().ids(), id, 0);
  }

  #batchHas(id: Uint8Array, batch: BatchBuilder): boolean {
    if (this.#batchIds === null) {
      this.#batchIds = new Set();
      for (let row = 0; row < batch.rowCount; row += 1) this.#batchIds.add(uuidText(batch.ids, row * 16));
    }
    return this.#batchIds.has(uuidText(id));
  }
}
