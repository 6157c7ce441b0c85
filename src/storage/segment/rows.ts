import type { NumberMemory } from "../../core/base/scratch.js";
import type { CodeColumn } from "../column/column.js";
import type { ColumnOnce } from "./column-once.js";
import type { ActorList, ActorTriples, RowsSummary } from "./summaries.js";

/** Smallest and largest code of a column other than 0, and whether any row has code 0. */
export interface ColumnZone {
  readonly min: number;
  readonly max: number;
  readonly hasZero: boolean;
}

/** The earliest time of an event with both a user id and an anonymous id, given as codes of their dictionaries. */
export interface IdLink {
  readonly anonymousId: number;
  readonly userId: number;
  readonly createdAtMs: number;
}

/** How to compute a value from rows, and how to combine the values of a head's first rows and of its later ones. */
export interface IncrementalValue<T> {
  /** @param first index of the first of these rows in their head */
  of(rows: Rows, first: number): T;
  /** Must change neither argument. */
  join(known: T, more: T): T;
  byteLength(made: T): number;
}

/** The rows of one UTC day that are stored together: a sealed segment or a frozen view of a head. All that a query reads. */
export interface Rows {
  readonly day: number;
  readonly rowCount: number;
  /** Whether the rows are immutable and sorted by (createdAt, event id, project). */
  readonly sealed: boolean;
  /** Whether the rows never change, so that `derive` caches: true for sealed rows and for full heads. */
  readonly immutable: boolean;
  /** Smallest and largest ms of the day. */
  readonly minMs: number;
  readonly maxMs: number;
  /** Smallest and largest store sequence; each row has its own. */
  readonly firstSequence: number;
  readonly lastSequence: number;
  /** Columns in which any row has a code other than 0. */
  columnNames(): readonly string[];
  /** Null if all rows have code 0. */
  zone(column: string): ColumnZone | null;
  /** Loads columns into memory; null if they are already loaded. @throws corruption */
  load(columns: readonly string[]): Promise<void> | null;
  /**
   * Reads a column, the times or the sequences for one use: what is not in memory is decoded into memory of `scratch` the first time, and loaded from
   * the second time on. At once if it is in memory. @throws corruption
   */
  readOnce(column: string, scratch: NumberMemory): ColumnOnce | Promise<ColumnOnce>;
  /** 16 bytes per row, for one use before the scratch is released; sealed rows read their file and keep nothing. @throws corruption */
  readIdsOnce(scratch: NumberMemory): Uint8Array | Promise<Uint8Array>;
  /**
   * Lists of the actors of these rows. Stored with sealed rows, at the cost of their numbers; for others every row is read.
   * @param scratch the first time, what is not in memory is read into it; later it is read into memory of its own and kept @throws corruption
   */
  actorLists<L extends ActorList>(lists: readonly L[], scratch?: NumberMemory): Promise<Pick<ActorTriples, L>>;
  /** As `actorLists` if all are in memory, else null. */
  cachedActorLists<L extends ActorList>(lists: readonly L[]): Pick<ActorTriples, L> | null;
  /** Null if none is stored; then read the columns. It may depend on more names than `of`, and contain more rows. @throws corruption */
  summary(name: string, of: readonly string[]): Promise<RowsSummary | null>;
  /** Keeps loaded data in memory until `unpin`: a query pins before `load` and unpins after its last read. */
  pin(): void;
  unpin(): void;
  column(name: string): CodeColumn;
  /** Ms of the day by row. */
  times(): Int32Array;
  /** 16 bytes per row. */
  ids(): Uint8Array;
  /** The project of a row whose id is loaded; it distinguishes events with the same id. */
  projectOf(row: number): string;
  sequences(): Uint32Array;
  /** Cached for settled rows while memory allows. @param since other inputs of the value: it is recomputed if any of them is another object */
  derive<T>(key: string, make: () => T, byteLength: (made: T) => number, since?: readonly object[]): T;
  /** Like `derive`, but also cached for a growing head: only the rows added since the last call are read. */
  deriveIncrementally<T>(key: string, incremental: IncrementalValue<T>): T;
  /** The value that `derive` has cached, else null. For values whose computation yields. */
  cached(key: string, since: readonly object[]): unknown;
}

/** Whether any row may have a code, judged by the zone map alone. */
export function mayHold(rows: Rows, column: string, code: number): boolean {
  const zone = rows.zone(column);
  if (zone === null) return code === 0;
  return code === 0 ? zone.hasZero : code >= zone.min && code <= zone.max;
}

/** The greatest code of a column where that is known without its rows: zones of heads are wider than their codes. */
export function knownMax(rows: Rows, column: string): number | undefined {
  return rows.sealed ? (rows.zone(column)?.max ?? 0) : undefined;
}

/** As `DerivedCache.wasRequested`, for the cache of these rows. Always false for a growing head. */
export function wasRequested(rows: Rows, name: string): boolean {
  const mark = `requested ${name}`;
  if (rows.cached(mark, []) !== null) return true;
  rows.derive(mark, () => true, () => 1);
  return false;
}

export async function whilePinned<T>(rows: Iterable<Rows>, read: () => T | Promise<T>): Promise<T> {
  const pinned = [...new Set(rows)];
  for (const part of pinned) part.pin();
  try {
    return await read();
  } finally {
    for (const part of pinned) part.unpin();
  }
}
