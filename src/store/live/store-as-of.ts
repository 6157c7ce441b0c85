import { countBefore } from "../../core/base/search.js";
import type { Yielder } from "../../core/base/yield.js";
import type { RecordColumns, RecordTable } from "../../identity/record-table.js";
import { PROJECT_COLUMN, SEQUENCE_COLUMN } from "../../core/schema/fields.js";
import { someRows } from "../../storage/segment/merge-rows.js";
import { loadYielding } from "../../storage/segment/prefetch.js";
import { BudgetShare } from "../../storage/segment/memory-budget.js";
import { type Rows, whilePinned } from "../../storage/segment/rows.js";
import { Segment } from "../../storage/segment/segment.js";
import { NO_RECORD_ONLY_IDS } from "../batch/batch.js";
import type { StoreFiles } from "../files/files.js";
import { Catalog, Identities, type Snapshot } from "./catalog.js";
import type { Store, VisibleStore } from "./store.js";

/** A store as of an earlier sequence, but without persons erased since. It shares only files and dictionaries with the current store. */
class StoreAsOf implements VisibleStore {
  readonly #catalog: Catalog;

  /** @param snapshotOfNow snapshot of the current store, whose files stay as long as they are read here */
  constructor(
    readonly store: Store,
    readonly sequence: number,
    readonly snapshotOfNow: Snapshot,
    readonly segments: readonly Segment[],
    readonly identities: Identities,
    readonly budget: BudgetShare,
  ) {
    this.#catalog = new Catalog(budget, store.dictionaries.named(PROJECT_COLUMN));
    this.#catalog.replace(segments, new Set(), false, () => undefined);
  }

  get dictionaries() {
    return this.store.dictionaries;
  }

  get resolver() {
    return this.identities.resolver;
  }

  get codeGeneration(): number {
    return this.store.codeGeneration;
  }

  get journaledSizes(): ReadonlyMap<string, number> {
    return this.store.journaledSizes;
  }

  snapshot(): Snapshot {
    return this.#catalog.snapshot(this.sequence);
  }

  async betweenCommits<T>(read: () => T): Promise<Awaited<T>> {
    return await read();
  }

  /** Frees memory at once, and files when the last load that reads them ends. */
  release(): void {
    this.budget.end();
    this.#catalog.replace([], new Set(this.segments), false, () => this.snapshotOfNow.release());
  }
}

/** Cost: a copy of the rows beside later ones, all links and records; queries then read anew. @param yielder yields; what it throws ends the work */
export async function storeAsOf(store: Store, sequence: number, yielder: Yielder): Promise<StoreAsOf> {
  const { snapshot, records } = await store.betweenCommits(() => ({ snapshot: store.snapshot(), records: recordsUpTo(store.records, sequence) }));
  const budget = new BudgetShare(store.budget);
  try {
    const segments: Segment[] = [];
    const identities = new Identities(store.dictionaries, store.journaledSizes);
    for (const rows of snapshot.rows) {
      const segment = await segmentUpTo(rows, { sequence, files: store.files, budget, yielder });
      if (segment === null) continue;
      segments.push(segment);
      await identities.addLinksYielding(segment, yielder);
    }
    await identities.addYielding({ records, recordOnlyIds: NO_RECORD_ONLY_IDS }, () => identities.resolver.committed(store.journaledSizes), yielder);
    return new StoreAsOf(store, sequence, snapshot, segments, identities, budget);
  } catch (error) {
    budget.end();
    snapshot.release();
    throw error;
  }
}

interface Copying {
  readonly sequence: number;
  readonly files: StoreFiles;
  readonly budget: BudgetShare;
  readonly yielder: Yielder;
}

/** Null if all rows are later. */
async function segmentUpTo(part: Rows, { sequence, files, budget, yielder }: Copying): Promise<Segment | null> {
  if (part.firstSequence > sequence) return null;
  const rows = part instanceof Segment ? part.twin(budget) : part;
  if (rows instanceof Segment && rows.lastSequence <= sequence) return rows;
  return await whilePinned([rows], async () => {
    await rows.load([SEQUENCE_COLUMN]);
    const kept = await rowsUpTo(rows.sequences(), sequence, yielder);
    if (kept.length === 0) return null;
    await loadYielding(rows, yielder);
    const segment = await files.segmentInMemory(someRows(rows, kept), budget, yielder);
    budget.count(segment.byteLength);
    return segment;
  });
}

async function rowsUpTo(sequences: Uint32Array, sequence: number, yielder: Yielder): Promise<Uint32Array> {
  const kept = new Uint32Array(sequences.length);
  let count = 0;
  await yielder.inPieces(sequences.length, (from, to) => {
    for (let row = from; row < to; row += 1) if ((sequences[row] as number) <= sequence) kept[count++] = row;
  });
  return kept.subarray(0, count);
}

/** Records are ordered by sequence. */
function recordsUpTo(records: RecordTable, sequence: number): RecordColumns {
  return records.slice(0, countBefore(records.rowCount, (row) => (records.sequences[row] as number) <= sequence));
}
