import { getOrMake } from "../../core/base/arrays.js";
import { assert } from "../../core/base/errors.js";
import type { Allocate, NumberMemory } from "../../core/base/scratch.js";
import { absentColumn, codeAt, columnByteLength, type CodeColumn } from "../column/column.js";
import type { Dictionary } from "../column/dictionary.js";
import { ID_COLUMN, PROJECT_COLUMN, SEQUENCE_COLUMN, TIME_COLUMN } from "../../core/schema/fields.js";
import {
  checkBlock, damaged, LINKS_BLOCK, decodeActorList, decodeColumn, maskedCodes, numbersOfDeltas, packedCodes, rowsBlock,
  type BlockEntry, type ContainerFooter, type ColumnMeta, type NumberBlock, type SegmentMeta,
} from "./segment-file.js";
import { CoalescedReads, type BorrowedBytes } from "./coalesced-reads.js";
import { onceOfColumn, onceOfNumbers, onceOfPacked, type ColumnOnce } from "./column-once.js";
import { decodeSummary, ACTOR_BLOCKS, type ActorList, type ActorTriples, type RowsSummary } from "./summaries.js";
import { DerivedCache, type MemoryBudget } from "./memory-budget.js";
import { NO_LINKS, type LinkList } from "./links.js";
import type { ColumnZone, IncrementalValue, Rows } from "./rows.js";

export interface SegmentSource {
  read(key: string, start: number, end: number, allocate?: Allocate): Promise<Uint8Array | null>;
  inflate(bytes: Uint8Array, byteLength: number): Uint8Array | Promise<Uint8Array>;
  readonly projects: ProjectTexts;
  /** Called when nothing more is read. */
  release?(): void;
}

const WHOLE_FILE = "whole file";

const FORMS: ReadonlySet<BlockEntry["form"]> = new Set([undefined, "packed", "masked"]);

export type ProjectTexts = Pick<Dictionary, "valueOf">;

type Loaded = CodeColumn | Int32Array | Uint32Array | Uint8Array;

/** What the manifest says about a segment. */
export interface SegmentFacts extends Pick<SegmentMeta, "day" | "rowCount" | "minMs" | "maxMs" | "firstSequence" | "lastSequence"> {
  readonly key: string;
  readonly byteLength: number;
  /** Number of columns that have values. */
  readonly columnCount: number;
  readonly hasLinks: boolean;
}

/** What the end of a segment's file contains. */
export interface SegmentContents {
  readonly footer: ContainerFooter<SegmentMeta>;
  /** Ids seen together on one event. */
  readonly links: LinkList;
  /** All bytes of a small file, so that columns need no further reads; null for others. */
  readonly file: Uint8Array | null;
}

class OpenedContents {
  readonly blocks: ReadonlyMap<string, BlockEntry>;
  readonly columns: ReadonlyMap<string, ColumnMeta>;
  /** The project code of all rows; null if they belong to several projects. */
  readonly onlyProject: number | null;

  constructor(
    readonly meta: SegmentMeta,
    blocks: readonly BlockEntry[],
    readonly links: LinkList,
  ) {
    this.blocks = new Map(blocks.map((block) => [block.name, block]));
    this.columns = new Map(meta.columns.map((column) => [column.name, column]));
    const projects = this.columns.get(PROJECT_COLUMN);
    this.onlyProject = projects !== undefined && projects.min === projects.max && !projects.hasZero ? projects.min : null;
  }
}

export function factsOf(key: string, byteLength: number, { blocks, meta }: ContainerFooter<SegmentMeta>): SegmentFacts {
  const { day, rowCount, minMs, maxMs, firstSequence, lastSequence, columns } = meta;
  const hasLinks = blocks.some(({ name }) => name === LINKS_BLOCK);
  return { key, byteLength, day, rowCount, minMs, maxMs, firstSequence, lastSequence, columnCount: columns.length, hasLinks };
}

/** Immutable rows of one UTC day, stored in a container file; its footer and columns are read when a query needs them. */
export class Segment implements Rows {
  readonly sealed = true;
  readonly immutable = true;
  readonly key: string;
  readonly byteLength: number;
  readonly day: number;
  readonly rowCount: number;
  readonly minMs: number;
  readonly maxMs: number;
  readonly firstSequence: number;
  readonly lastSequence: number;
  #opened: OpenedContents | null = null;
  readonly #read: (() => SegmentContents) | null;
  readonly #cache: DerivedCache;
  readonly #loading = new Map<string, Promise<void>>();
  readonly #reads: CoalescedReads;

  /** @param contents or what reads them when they are first needed, on the calling thread @throws corruption */
  constructor(
    readonly facts: SegmentFacts,
    contents: SegmentContents | (() => SegmentContents),
    readonly source: SegmentSource,
    budget: MemoryBudget,
  ) {
    const { key } = facts;
    this.key = key;
    this.byteLength = facts.byteLength;
    this.day = facts.day;
    this.rowCount = facts.rowCount;
    this.minMs = facts.minMs;
    this.maxMs = facts.maxMs;
    this.firstSequence = facts.firstSequence;
    this.lastSequence = facts.lastSequence;
    this.#cache = new DerivedCache(budget);
    this.#reads = new CoalescedReads((start, end, allocate) => source.read(key, start, end, allocate));
    this.#read = typeof contents === "function" ? contents : null;
    if (typeof contents !== "function") this.#opened = this.#open(contents);
  }

  /** The same rows with a cache of their own: no column is loaded yet, and derived data is not shared. */
  twin(budget: MemoryBudget): Segment {
    return new Segment(this.facts, () => this.#contentsAgain(), this.source, budget);
  }

  #contentsAgain(): SegmentContents {
    const { meta, blocks, links } = this.#contents();
    return { footer: { meta, blocks: [...blocks.values()] }, links, file: this.#cache.get(WHOLE_FILE) as Uint8Array | null };
  }

  /** @throws corruption */
  get meta(): SegmentMeta {
    return this.#contents().meta;
  }

  /** Ids seen together on one event. @throws corruption */
  get links(): LinkList {
    return this.facts.hasLinks ? this.#contents().links : NO_LINKS;
  }

  #contents(): OpenedContents {
    if (this.#opened !== null) return this.#opened;
    assert(this.#read !== null, "a segment has its contents, or reads them");
    return (this.#opened = this.#open(this.#read()));
  }

  #open({ footer: { meta, blocks }, links, file }: SegmentContents): OpenedContents {
    if (file !== null) this.#cache.set(WHOLE_FILE, file, file.byteLength);
    return new OpenedContents(meta, blocks, links);
  }

  columnNames(): readonly string[] {
    return this.meta.columns.map((column) => column.name);
  }

  zone(column: string): ColumnZone | null {
    return this.#contents().columns.get(column) ?? null;
  }

  load(columns: readonly string[]): Promise<void> | null {
    let waits: Promise<void>[] | null = null;
    // With several projects, comparing ids also needs the projects.
    const { blocks, onlyProject } = this.#contents();
    const needed = columns.includes(ID_COLUMN) && onlyProject === null ? [...columns, PROJECT_COLUMN] : columns;
    for (const name of needed) {
      if (this.#cache.get(name) === null && blocks.has(name)) (waits ??= []).push(this.#loadOnce(name));
    }
    return waits === null ? null : Promise.all(waits).then(() => undefined);
  }

  readOnce(name: string, scratch: NumberMemory): ColumnOnce | Promise<ColumnOnce> {
    const meta = this.#contents().columns.get(name);
    if (!this.#isAway(name)) return this.#onceOfLoaded(name, scratch);
    if (meta?.entryCount !== undefined || this.#cache.wasRequested(`once ${name}`)) return this.#loadOnce(name).then(() => this.#onceOfLoaded(name, scratch));
    return this.#decodedOnce(name, meta, scratch);
  }

  #isAway(name: string): boolean {
    return this.#cache.get(name) === null && this.#contents().blocks.has(name);
  }

  #onceOfLoaded(name: string, scratch: NumberMemory): ColumnOnce {
    if (name === TIME_COLUMN) return onceOfNumbers(this.times(), scratch);
    return name === SEQUENCE_COLUMN ? onceOfNumbers(this.sequences(), scratch) : onceOfColumn(this.column(name), scratch);
  }

  async #decodedOnce(name: string, meta: ColumnMeta | undefined, scratch: NumberMemory): Promise<ColumnOnce> {
    const into = (count: number) => scratch.take(count);
    if (meta === undefined)
      return onceOfNumbers(await this.#useBlock(name, (block) => numbersOfDeltas(this.key, name, block, this.rowCount, into)), scratch);
    const { release, ...block } = await this.#readBlock(name);
    if (block.form === "packed") {
      scratch.whenReleased(release);
      return onceOfPacked(packedCodes(this.key, name, block.bytes, this.rowCount, meta.max), scratch);
    }
    const isMasked = block.form === "masked";
    const once = isMasked
      ? onceOfNumbers(maskedCodes(this.key, name, block.bytes, this.rowCount, meta.max, into(this.rowCount)), scratch)
      : onceOfColumn(decodeColumn(this.key, meta, this.rowCount, block, null), scratch);
    release();
    return once;
  }

  async readIdsOnce(scratch: NumberMemory): Promise<Uint8Array> {
    const { bytes, release } = await this.#readBlock(ID_COLUMN, true);
    scratch.whenReleased(release);
    return bytes;
  }

  isLoaded(name: string): boolean {
    return this.#cache.get(name) !== null;
  }

  cachedActorLists<L extends ActorList>(lists: readonly L[]): Pick<ActorTriples, L> | null {
    const known = lists.map((list) => [list, this.#cache.get(ACTOR_BLOCKS[list])]);
    return known.every(([, numbers]) => numbers !== null) ? (Object.fromEntries(known) as Pick<ActorTriples, L>) : null;
  }

  async actorLists<L extends ActorList>(lists: readonly L[], scratch?: NumberMemory): Promise<Pick<ActorTriples, L>> {
    const known = this.cachedActorLists(lists);
    if (known !== null) return known;
    // Tables that read different lists each read them once.
    const memory = scratch === undefined || this.#cache.wasRequested(`once ${lists.join()}`) ? null : scratch;
    const read = await Promise.all(lists.map(async (list) => [list, await this.#actorList(list, memory)]));
    return Object.fromEntries(read) as Pick<ActorTriples, L>;
  }

  async #actorList(list: ActorList, memory: NumberMemory | null): Promise<Uint32Array> {
    const name = ACTOR_BLOCKS[list];
    const known = this.#cache.get(name);
    if (known !== null) return known as Uint32Array;
    const into = (count: number) => memory?.take(count) ?? new Uint32Array(count);
    const meta = this.meta.actors[list];
    const read = meta.max > 0 ? await this.#useBlock(name, (block) => decodeActorList(this.key, list, meta, block, into)) : into(meta.count).fill(0);
    if (memory === null) this.#cache.set(name, read, read.byteLength);
    return read;
  }

  async summary(name: string, of: readonly string[]): Promise<RowsSummary | null> {
    const meta = this.meta.summaries?.find((known) => known.name === name && of.every((needed) => known.of.includes(needed)));
    if (meta === undefined) return null;
    if (meta.rowCount === 0) return decodeSummary(this.day, meta, new Uint8Array(0));
    return await this.#useBlock(name, ({ bytes }) => decodeSummary(this.day, meta, bytes));
  }

  column(name: string): CodeColumn {
    if (!this.#contents().columns.has(name)) return absentColumn(this.rowCount);
    return this.#loaded(name) as CodeColumn;
  }

  times(): Int32Array {
    return this.#loaded(TIME_COLUMN) as Int32Array;
  }

  ids(): Uint8Array {
    return this.#loaded(ID_COLUMN) as Uint8Array;
  }

  projectOf(row: number): string {
    return this.source.projects.valueOf(this.#contents().onlyProject ?? codeAt(this.column(PROJECT_COLUMN), row));
  }

  sequences(): Uint32Array {
    return this.#loaded(SEQUENCE_COLUMN) as Uint32Array;
  }

  derive<T>(key: string, make: () => T, byteLength: (made: T) => number, since?: readonly object[]): T {
    return this.#cache.getOrCompute(key, make, byteLength, since);
  }

  deriveIncrementally<T>(key: string, { of, byteLength }: IncrementalValue<T>): T {
    return this.#cache.getOrCompute(key, () => of(this, 0), byteLength);
  }

  cached(key: string, since: readonly object[]): unknown {
    return this.#cache.get(key, since);
  }

  /** Drops all derived data, which may describe persons erased from other segments. Columns stay. */
  forgetDerived(): void {
    this.#cache.forget((key) => key !== WHOLE_FILE && !this.#contents().blocks.has(key));
  }

  pin(): void {
    this.#cache.pin();
  }

  unpin(): void {
    this.#cache.unpin();
  }

  /** Drops everything in memory once the segment has left the catalog. */
  release(): void {
    this.#cache.release();
    this.source.release?.();
  }

  #loaded(name: string): Loaded {
    const loaded = this.#cache.get(name);
    assert(loaded !== null, `column ${name} of ${this.key} was read before it was loaded`);
    return loaded as Loaded;
  }

  #loadOnce(name: string): Promise<void> {
    return getOrMake(this.#loading, name, () => this.#loadColumn(name).finally(() => this.#loading.delete(name)));
  }

  async #loadColumn(name: string): Promise<void> {
    const [block, rows] = await Promise.all([this.#readBlock(name), this.#isSparse(name) ? this.#readBlock(rowsBlock(name)) : null]);
    const { value, byteLength } = this.#loadedOf(name, block, rows);
    this.#cache.set(name, value, byteLength);
    block.release();
    rows?.release();
  }

  #isSparse(name: string): boolean {
    return this.#contents().columns.get(name)?.entryCount !== undefined;
  }

  #loadedOf(name: string, block: NumberBlock, rows: NumberBlock | null): { readonly value: Loaded; readonly byteLength: number } {
    if (name === ID_COLUMN) return { value: block.bytes, byteLength: block.bytes.byteLength };
    if (name === SEQUENCE_COLUMN || name === TIME_COLUMN) {
      const values = numbersOfDeltas(this.key, name, block, this.rowCount);
      return { value: name === TIME_COLUMN ? new Int32Array(values.buffer) : values, byteLength: values.byteLength };
    }
    const meta = this.#contents().columns.get(name);
    if (meta === undefined) throw damaged(this.key, `block ${name} is not a column`);
    const column = decodeColumn(this.key, meta, this.rowCount, block, rows);
    return { value: column, byteLength: columnByteLength(column) };
  }

  /** Calls `use` with a block, whose bytes are not valid afterwards. */
  async #useBlock<T>(name: string, use: (block: NumberBlock) => T | Promise<T>): Promise<T> {
    const { release, ...block } = await this.#readBlock(name);
    const used = await use(block);
    release();
    return used;
  }

  /** @param isOnce whether nothing is kept of what the bytes are decoded to */
  async #readBlock(name: string, isOnce = false): Promise<NumberBlock & BorrowedBytes> {
    const entry = this.#contents().blocks.get(name);
    if (entry === undefined) throw damaged(this.key, `block ${name} is missing`);
    const { form, deflated } = entry;
    if (!FORMS.has(form) || (form !== undefined && name === ID_COLUMN)) throw damaged(this.key, `block ${name} has the form ${form}`);
    if (!(entry.offset + entry.byteLength <= this.byteLength)) throw damaged(this.key, `block ${name}, at byte ${entry.offset}, is cut short`);
    const read = await this.#readBytes(entry.offset, entry.offset + entry.byteLength);
    const bytes = checkBlock(this.key, entry, read?.bytes ?? null);
    const release = () => read?.release();
    // Decoded values may share bytes that are stored as they are, so those get memory of their own.
    if (!deflated && (isOnce || form !== undefined)) return { bytes, form, release };
    const own = deflated ? await this.source.inflate(bytes, entry.rawByteLength) : new Uint8Array(bytes);
    release();
    return { bytes: own, form, release: () => undefined };
  }

  async #readBytes(start: number, end: number): Promise<BorrowedBytes | null> {
    const file = this.#cache.get(WHOLE_FILE) as Uint8Array | null;
    return file === null ? await this.#reads.of(start, end) : { bytes: file.subarray(start, end), release: () => undefined };
  }
}
