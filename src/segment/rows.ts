import type { CodeColumn } from "../column/column.js";
import type { Excerpt } from "./excerpt.js";
import type { Who } from "./who.js";

/** Smallest and largest code of a column, and whether some row has code 0. */
export interface ColumnZone {
  readonly min: number;
  readonly max: number;
  readonly hasZero: boolean;
}

/** The earliest time, in ms of the day, at which an event carried both a user id and an anonymous id (codes of their dictionaries). */
export interface IdLink {
  readonly anonymousId: number;
  readonly userId: number;
  readonly createdAtMs: number;
}

/** How something is made of rows, and of what was made of the first of them and of the others. */
export interface Folding<T> {
  /** @param first the place of the first of these rows in their head */
  of(rows: Rows, first: number): T;
  /** Changes neither. */
  join(known: T, more: T): T;
  byteLength(made: T): number;
}

/**
 * The rows of one UTC day that live together: a sealed segment or a head. The only thing a query reads.
 * A head is a frozen view of what it held.
 */
export interface Rows {
  readonly day: number;
  readonly rowCount: number;
  /** Immutable, and ascending by (createdAt, event id). */
  readonly sealed: boolean;
  /** Its rows stay what they are: `derive` keeps. True for sealed rows, and for heads that take no more. */
  readonly settled: boolean;
  /** Smallest and largest ms of the day. */
  readonly minMs: number;
  readonly maxMs: number;
  /** Smallest and largest store sequence: each row has its own, wherever it lies. */
  readonly firstSequence: number;
  readonly lastSequence: number;
  /** Columns that some row has a code other than 0 in. */
  columnNames(): readonly string[];
  /** Null when all rows have code 0. */
  zone(column: string): ColumnZone | null;
  /** Brings columns into memory; null when they are there already. @throws corruption */
  load(columns: readonly string[]): Promise<void> | null;
  /** Who did something. Stored beside sealed rows; cost: the triples. For others: a look at each row. @throws corruption */
  who(): Promise<Who>;
  /** The same if it is in memory; null else. */
  knownWho(): Who | null;
  /**
   * Some rows that are stored a second time, by themselves, under a name; null where none are: the columns tell. @throws corruption
   * @param of names of what it has to depend on; it may depend on more, and hold more rows
   */
  excerpt(name: string, of: readonly string[]): Promise<Excerpt | null>;
  /** Keeps what is loaded in memory until `unpin`: a query pins before `load` and unpins after its last read. */
  pin(): void;
  unpin(): void;
  /** Codes of a loaded column. */
  column(name: string): CodeColumn;
  /** Ms of the day by row. */
  times(): Int32Array;
  /** 16 bytes a row. */
  ids(): Uint8Array;
  /** The project of a row whose id is loaded: of events with the same id it tells one from the other. */
  projectOf(row: number): string;
  /** Store sequence by row. */
  sequences(): Uint32Array;
  /**
   * A structure derived from the rows: kept for settled rows while memory allows, made anew for others.
   * @param since what else it was made of: with another one of these it is made anew
   */
  derive<T>(key: string, make: () => T, byteLength: (made: T) => number, since?: readonly object[]): T;
  /** As `derive`, kept for a head that grows too: only the rows that came since it was asked last are looked at. */
  fold<T>(key: string, folding: Folding<T>): T;
  /** What `derive` keeps under these; null for nothing. For structures that take more than one turn to make. */
  kept(key: string, since: readonly object[]): unknown;
}
