import { assert, DaybookError } from "../../core/base/errors.js";
import { LIMITS } from "../../core/base/limits.js";
import { countBefore } from "../../core/base/search.js";
import { MS_PER_DAY, dayStartMs } from "../../core/base/time.js";
import { sleep, yieldToEventLoop } from "../../core/base/yield.js";
import { isPruned, isWhole, type Selector } from "../../query/filter/select.js";
import type { Range } from "../../query/plan/plan.js";
import type { AnyPass, Pass, Selectors, StateOf } from "../../query/reports/form/report.js";
import { TIME_COLUMN } from "../../core/schema/fields.js";
import { Head, type HeadView } from "../../storage/segment/head.js";
import { Prefetch } from "../../storage/segment/prefetch.js";
import type { Rows } from "../../storage/segment/rows.js";
import { Segment } from "../../storage/segment/segment.js";
import { BOTH_ACTORS } from "../../storage/segment/summaries.js";
import { Span, type SpanResult, type SpanPart } from "../../storage/segment/span.js";
import type { Snapshot } from "../../store/live/catalog.js";

/** The work of one query, as counts: tests assert these because times are unreliable. */
export interface QueryStats {
  /** Segments and heads read, and those skipped by zone maps and times alone. */
  segmentCount: number;
  prunedCount: number;
  /** Segments and heads that were not read because a span had cached their part of the answer. Heads with new rows do not count. */
  cachedCount: number;
  /** Rows of the segments and heads read; of heads with a cached answer, only the newer ones. */
  rowCount: number;
  /** Segments with a column that had to be read from storage. */
  loadCount: number;
  /** Dictionary values tested by filters. */
  dictionaryValueCount: number;
}

export function newStats(): QueryStats {
  return { segmentCount: 0, prunedCount: 0, cachedCount: 0, rowCount: 0, loadCount: 0, dictionaryValueCount: 0 };
}

/** How passes over rows run. */
export interface ScanContext {
  readonly snapshot: Snapshot;
  readonly slices: Slices;
  readonly stats: QueryStats;
}

export interface CompiledPass {
  readonly pass: AnyPass;
  readonly selectors: Selectors;
}

/** Runs passes over rows, one after the other. @param use gets their states, while rows that passes keep are in memory */
export async function scanAll<A>(passes: readonly CompiledPass[], { snapshot, stats, slices }: ScanContext, use: (stateOf: StateOf) => A | Promise<A>): Promise<A> {
  const scans: Scan<unknown, unknown>[] = [];
  const states = new Map<AnyPass, unknown>();
  try {
    for (const { pass, selectors } of passes) {
      for (const { testedValueCount } of selectors) stats.dictionaryValueCount += testedValueCount;
      const scan = new Scan(pass, selectors, stats, slices);
      scans.push(scan);
      states.set(pass, await scan.stateOf(snapshot));
      if (pass.keepsRows !== true) scan.release();
    }
    // The cast: each state was made by the pass that it is stored under.
    return await use(<S>(pass: Pass<S>) => states.get(pass) as S);
  } finally {
    for (const scan of scans) scan.release();
  }
}

/** Computes the state of one pass, from segments or from spans that cached the state of an equal pass. */
export class Scan<S, T> {
  readonly #columns: readonly string[];
  readonly #cacheKey: string | null;
  readonly #range: Range;
  readonly #pinned: Rows[] = [];
  #loads: Prefetch | null = null;
  readonly #pause = () => this.slices.yieldSometimes();

  constructor(
    readonly pass: Pass<S, T>,
    readonly selectors: Selectors,
    readonly stats: QueryStats,
    readonly slices: Slices,
  ) {
    this.#columns = [...selectors.flatMap(({ columns }) => columns), ...pass.columns];
    this.#cacheKey = cacheKeyOf(pass, selectors);
    this.#range = rangeOf(selectors);
  }

  async stateOf(snapshot: Snapshot): Promise<S> {
    const state = await this.#stateOfAll(snapshot);
    const { actorFilter } = this.selectors[0];
    return actorFilter === null ? state : (this.pass.only?.(state, actorFilter) ?? state);
  }

  async #stateOfAll(snapshot: Snapshot): Promise<S> {
    const state = this.pass.begin();
    if (this.#cacheKey === null) {
      const all = this.#daysOf(snapshot.rows);
      if (this.pass.isDone === undefined) this.#loads = this.#loadsOf(all.filter(({ sealed }) => sealed));
      for (const rows of all) {
        if (this.pass.isDone?.(state, rows.day) === true) break;
        await this.#addRows(state, rows);
      }
      return state;
    }
    const key = this.#cacheKey;
    const parts = this.#addPartsInRange(snapshot.spans, []);
    this.#loads = this.#loadsOf(addUncached(parts, key, []));
    for (const part of parts) await this.#addPart(state, part, snapshot, key);
    return state;
  }

  /** Releases the rows pinned for the report. */
  release(): void {
    this.#loads?.release();
    for (const rows of this.#pinned.splice(0)) rows.unpin();
  }

  /** Those of the days in range, by binary search. @param rows newest day first */
  #daysOf(rows: readonly Rows[]): readonly Rows[] {
    const { fromMs, toMs } = this.#range;
    const countFrom = (ms: number) => countBefore(rows.length, (at) => dayStartMs(rows[at]?.day ?? 0) >= ms);
    const [first, end] = [countFrom(toMs), countFrom(fromMs - MS_PER_DAY)];
    this.stats.prunedCount += rows.length - (end - first);
    return rows.slice(first, end);
  }

  #loadsOf(all: readonly Rows[]): Prefetch {
    return new Prefetch(all.filter((rows) => !this.#isPruned(rows)), (rows) => this.#load(rows));
  }

  #isPruned(rows: Rows): boolean {
    return this.pass.skips?.(rows) === true || this.selectors.every((selector) => isPruned(rows, selector));
  }

  /** Adds the largest parts that lie within the range, and the segments and heads on its edges. */
  #addPartsInRange(parts: readonly SpanPart[], inRange: SpanPart[]): SpanPart[] {
    for (const part of parts) {
      if (!(part instanceof Span) || this.#isWithin(part)) inRange.push(part);
      else if (this.#isInRange(part)) this.#addPartsInRange(part.parts, inRange);
      else this.stats.prunedCount += part.partCount;
    }
    return inRange;
  }

  #isInRange({ firstMs, lastMs }: Span): boolean {
    return lastMs >= this.#range.fromMs && firstMs < this.#range.toMs;
  }

  #isWithin({ firstMs, lastMs }: Span): boolean {
    return firstMs >= this.#range.fromMs && lastMs < this.#range.toMs;
  }

  /** The cached answer of a span, and the rows of its heads that it does not cover; `newer` is null if everything must be read. */
  #newerOf(span: Span, snapshot: Snapshot, key: string) {
    const views = span.heads.map((head) => snapshot.viewOf(head));
    // Only parts of this kind cache under this key.
    const known = span.cached(key);
    return { views, known, newer: known === null ? null : rowsSince(views, known) };
  }

  #addPart(state: S, part: SpanPart, snapshot: Snapshot, key: string): Promise<void> {
    if (part instanceof Span) return this.#addWhole(state, part, snapshot, key);
    return this.#addRows(state, part instanceof Head ? snapshot.viewOf(part) : part);
  }

  /** Adds the cached answer of a span and the newer rows of its heads; without one, adds the parts of the span and caches the result. */
  async #addWhole(state: S, span: Span, snapshot: Snapshot, key: string): Promise<void> {
    const { cached } = this.pass;
    assert(cached !== undefined, "a pass with a cache key can be cached");
    const { views, known, newer } = this.#newerOf(span, snapshot, key);
    if (known !== null && newer !== null) {
      this.stats.cachedCount += span.partCount - newer.length;
      if (isLittle(newer)) {
        await cached.add(state, known.value as T, this.#pause);
        for (const rows of newer) await this.#addRows(state, rows);
        return;
      }
    }
    if (known === null && cached.beginRepeated !== undefined && !span.wasRequested(key)) {
      for (const child of span.parts) await this.#addPart(state, child, snapshot, key);
      return;
    }
    const own = cached.beginRepeated?.() ?? this.pass.begin();
    if (known !== null && newer !== null) {
      await cached.add(own, known.value as T, this.#pause);
      for (const rows of newer) await this.#addRows(own, rows);
    } else for (const child of span.parts) await this.#addPart(own, child, snapshot, key);
    await this.#pause();
    const value = await cached.of(own, this.#pause);
    // An answer that covers more rows than this query sees is not replaced.
    if (known === null || newer !== null) span.cache(key, { value, rowCounts: views.map(({ rowCount }) => rowCount) }, cached.byteLength(value));
    await cached.add(state, value, this.#pause);
  }

  /** Settles when what is read of the rows is in memory; null if it is already. */
  #load(rows: Rows): Promise<unknown> | null {
    return this.#needsOnlyActors(rows) ? rows.actorLists(BOTH_ACTORS) : rows.load(columnsFor(rows, this.selectors, this.#columns));
  }

  /** Whether the actors suffice, so that no row need be read. */
  #needsOnlyActors(rows: Rows): boolean {
    const { pass, selectors } = this;
    return pass.scanActors !== undefined && rows.sealed && !isInMemory(rows, pass.columns) && selectors.every((selector) => isAll(rows, selector));
  }

  async #addRows(state: S, rows: Rows): Promise<void> {
    const { pass, selectors } = this;
    await this.#pause();
    if (this.#isPruned(rows)) {
      this.stats.prunedCount += 1;
      return;
    }
    rows.pin();
    this.#pinned.push(rows);
    const loading = this.#loads === null ? this.#load(rows) : this.#loads.of(rows);
    if (loading !== null) {
      await this.slices.until(loading);
      await this.#pause();
    }
    if (pass.scanActors !== undefined && this.#needsOnlyActors(rows)) {
      const actors = await rows.actorLists(BOTH_ACTORS);
      pass.scanActors(state, rows, actors);
      this.stats.rowCount += actors.plain.length + actors.members.length;
    } else {
      if (loading !== null) this.stats.loadCount += 1;
      pass.scan(state, rows, selectors);
      this.stats.rowCount += rows.rowCount;
    }
    this.stats.segmentCount += 1;
    if (pass.keepsRows !== true) this.#pinned.pop()?.unpin();
  }
}

/** Adds the segments that no span has cached under the key. A wrong prediction costs only time: loads that are late or unused. */
function addUncached(parts: readonly SpanPart[], key: string, segments: Segment[]): Segment[] {
  for (const part of parts) {
    if (part instanceof Segment) segments.push(part);
    else if (part instanceof Span && part.cached(key) === null) addUncached(part.parts, key, segments);
  }
  return segments;
}

/** The rows of heads that an answer does not cover; null if it covers rows newer than these views. */
function rowsSince(views: readonly HeadView[], { rowCounts }: SpanResult): HeadView[] | null {
  if (rowCounts.length > views.length || views.some(({ rowCount }, at) => rowCount < (rowCounts[at] ?? 0))) return null;
  return views.flatMap((view, at) => (view.rowCount > (rowCounts[at] ?? 0) ? [view.slice(rowCounts[at] ?? 0)] : []));
}

/** Fixed cost of reading the rows of a head, in rows. */
const ROWS_PER_LOOK = 256;

function isLittle(rows: readonly HeadView[]): boolean {
  return rows.reduce((sum, { rowCount }) => sum + rowCount, rows.length * ROWS_PER_LOOK) <= LIMITS.newerRowCount;
}

/** The key under which spans cache the state of a pass; null if they do not. */
export function cacheKeyOf(pass: AnyPass, selectors: readonly Selector[]): string | null {
  const keys = selectors.map(({ key }) => key);
  return pass.cached === undefined || keys.includes(null) ? null : `${pass.cached.key} ${keys.join()}`;
}

function rangeOf([first, ...others]: Selectors): Range {
  assert(others.every(({ fromMs, toMs }) => fromMs === first.fromMs && toMs === first.toMs), "the scopes of a pass have one range");
  return first;
}

/** Whether the columns are in memory, and the actors are yet to be read. */
function isInMemory(rows: Rows, columns: readonly string[]): boolean {
  return rows instanceof Segment && rows.cachedActorLists(BOTH_ACTORS) === null && columns.every((name) => rows.zone(name) === null || rows.isLoaded(name));
}

/** Whether no filter and no date excludes a row. */
function isAll(rows: Rows, selector: Selector): boolean {
  return selector.all.length === 0 && selector.any.length === 0 && isWhole(rows, selector);
}

/** Includes times only if the range cuts the day, or a filter tests them. */
export function columnsFor(rows: Rows, selectors: readonly Selector[], columns: readonly string[]): readonly string[] {
  const readsTimes = selectors.some((selector) => !isWhole(rows, selector) || [...selector.all, ...selector.any.flat()].some(({ kind }) => kind === "instant"));
  return readsTimes ? [TIME_COLUMN, ...columns] : columns;
}

/** Shared: queries call `yieldSometimes` often and rarely pause. */
const NO_PAUSE = Promise.resolve();

/** Yields to other work, and checks the signal, when a query has held the thread for a slice. */
export class Slices {
  #startMs = performance.now();

  /** @param signal absent: the query runs without yielding */
  constructor(readonly signal: Pick<AbortSignal, "aborted"> | undefined) {}

  /** @throws aborted */
  yieldSometimes(): Promise<void> {
    if (this.signal === undefined) return NO_PAUSE;
    if (performance.now() - this.#startMs >= LIMITS.sliceMs) return this.#pause(this.signal);
    return this.signal.aborted ? Promise.reject(stopped()) : NO_PAUSE;
  }

  /** Waits for something that goes on whether or not this query is stopped. @throws aborted */
  async until<T>(done: Promise<T>): Promise<T> {
    const { signal } = this;
    if (signal === undefined) return await done;
    let isDone = false;
    const ended = done.finally(() => (isDone = true));
    ended.catch(() => undefined);
    while (!isDone) {
      await Promise.race([ended, sleep(LIMITS.sliceMs)]);
      if (signal.aborted) throw stopped();
    }
    return await ended;
  }

  async #pause(signal: Pick<AbortSignal, "aborted">): Promise<void> {
    await yieldToEventLoop();
    this.#startMs = performance.now();
    if (signal.aborted) throw stopped();
  }
}

/** The error of a query that was stopped by its signal. */
export function stopped(): DaybookError {
  return new DaybookError("aborted", "the query was stopped by its signal");
}
