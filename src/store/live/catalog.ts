import { assert } from "../../core/base/errors.js";
import { dayOf, dayStartMs } from "../../core/base/time.js";
import { Yielder } from "../../core/base/yield.js";
import { fieldIndex, metadataColumn } from "../../core/schema/fields.js";
import { RecordTable, type RecordColumns } from "../../identity/record-table.js";
import { IdentityResolver } from "../../identity/resolver.js";
import type { Dictionaries } from "../../storage/column/dictionaries.js";
import { Head, type HeadView } from "../../storage/segment/head.js";
import type { LinkList } from "../../storage/segment/links.js";
import type { MemoryBudget } from "../../storage/segment/memory-budget.js";
import type { Rows } from "../../storage/segment/rows.js";
import type { ProjectTexts, Segment } from "../../storage/segment/segment.js";
import { SpanTree, type SpanPart } from "../../storage/segment/span.js";
import { byDay, type Batch, type RecordBatch, type RecordOnlyIds } from "../batch/batch.js";

/** A frozen view of a store for one query. Release it when the query ends. */
export interface Snapshot {
  /** Newest day first; within a day in no order. */
  readonly rows: readonly Rows[];
  /** The same segments and heads as spans of days, oldest first. */
  readonly spans: readonly SpanPart[];
  /** The rows that a head of the spans had at that time. */
  viewOf(head: Head): HeadView;
  readonly sequence: number;
  release(): void;
}

/** The rows between two changes of the catalog, and callbacks for when no query reads them. */
class CatalogVersion {
  userCount = 0;
  readonly whenUnused: (() => void)[] = [];
  readonly #views: ReadonlyMap<Head, HeadView>;
  #rows: readonly Rows[] | null = null;

  constructor(
    readonly tree: SpanTree,
    readonly sequence: number,
  ) {
    this.#views = new Map(tree.heads.map((head) => [head, head.view()]));
  }

  /** Computed for the first query that reads segment by segment. */
  get rows(): readonly Rows[] {
    this.#rows ??= [...this.tree.segments, ...this.#views.values()].sort((a, b) => b.day - a.day);
    return this.#rows;
  }

  viewOf(head: Head): HeadView {
    const view = this.#views.get(head);
    assert(view !== undefined, "the head is in the snapshot");
    return view;
  }
}

class VersionSnapshot implements Snapshot {
  readonly spans: readonly SpanPart[];
  readonly sequence: number;
  #isReleased = false;

  constructor(
    readonly version: CatalogVersion,
    readonly whenReleased: () => void,
  ) {
    this.spans = version.tree.parts;
    this.sequence = version.sequence;
  }

  get rows(): readonly Rows[] {
    return this.version.rows;
  }

  viewOf(head: Head): HeadView {
    return this.version.viewOf(head);
  }

  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.whenReleased();
  }
}

/** The current segments and heads. Removed segments stay alive until the last query that may read them ends. */
export class Catalog {
  #segments: readonly Segment[] = [];
  #sealedColumnCount = 0;
  #spans = SpanTree.EMPTY;
  #sealing: readonly Head[] = [];
  #full: readonly Head[] = [];
  #heads = new Map<number, Head>();
  /** Oldest first; the last is the current one, unless rows changed since. */
  #versions: CatalogVersion[] = [];
  #current: CatalogVersion | null = null;
  readonly #removedInUse = new Set<Segment>();

  constructor(
    private readonly budget: MemoryBudget,
    private readonly projects: ProjectTexts,
  ) {}

  get segments(): readonly Segment[] {
    return this.#segments;
  }

  /** Replaced segments that queries may still read. */
  get removedInUse(): ReadonlySet<Segment> {
    return this.#removedInUse;
  }

  get sealing(): readonly Head[] {
    return this.#sealing;
  }

  get heads(): readonly Head[] {
    return [...this.#full, ...this.#heads.values()];
  }

  /** Metadata columns of the heads that are not being sealed yet. */
  get headColumnCount(): number {
    return this.heads.reduce((sum, head) => sum + head.metadataColumnCount, 0);
  }

  /** Metadata values of the heads that are not being sealed yet. */
  get headValueCount(): number {
    return this.heads.reduce((sum, head) => sum + head.metadataValueCount, 0);
  }

  get columnCount(): number {
    return this.#sealedColumnCount + this.#sealing.reduce((sum, head) => sum + head.metadataColumnCount, this.headColumnCount);
  }

  /** Whether any row of a day has a metadata key. Cost: all segments. */
  hasKey(day: number, key: number): boolean {
    const name = metadataColumn(key);
    const isIn = (head: Head) => head.day === day && head.hasKey(key);
    return this.heads.some(isIn) || this.#sealing.some(isIn) || this.#segments.some((segment) => segment.day === day && segment.zone(name) !== null);
  }

  /** Adds events to the heads of their days; visible after `changed`. */
  append(batch: Batch, firstSequence: number, keysOfShape: (shape: number) => readonly number[]): void {
    const rows = byDay(batch, keysOfShape);
    const { times, rowCount } = rows;
    let valuesAt = 0;
    for (let from = 0, to = 0; from < rowCount; from = to) {
      const day = dayOf(times[from] as number);
      while (to < rowCount && dayOf(times[to] as number) === day) to += 1;
      valuesAt = this.head(day).append(rows, from, to, firstSequence, valuesAt, keysOfShape);
    }
  }

  /** The head of a day for new rows, created if needed. Rows appended to it are visible after `changed`. */
  head(day: number): Head {
    let head = this.#heads.get(day);
    if (head?.isFull === true) this.#full = [...this.#full, head];
    if (head === undefined || head.isFull) {
      head = new Head(day, this.budget, this.projects);
      this.#heads.set(day, head);
    }
    return head;
  }

  /** Call after rows were added, so that the next snapshot includes them. */
  changed(): void {
    this.#current = null;
  }

  /** Freezes all heads: they stay readable, new rows go to new heads. */
  freezeHeads(): void {
    this.#sealing = [...this.#sealing, ...this.heads];
    this.#full = [];
    this.#heads = new Map();
    this.changed();
  }

  /** Replaces segments and, with `dropFrozen`, the frozen heads. @param retire called once no query can read the removed segments */
  replace(added: readonly Segment[], removed: ReadonlySet<Segment>, dropFrozen: boolean, retire: () => void): void {
    this.#segments = [...this.#segments.filter((segment) => !removed.has(segment)), ...added].sort((a, b) => a.day - b.day);
    this.#sealedColumnCount = this.#segments.reduce((sum, { facts }) => sum + facts.columnCount, 0);
    if (dropFrozen) {
      for (const head of this.#sealing) head.release();
      this.#sealing = [];
    }
    this.#spans = SpanTree.of(this.#segments, this.#headsWithRows(), this.#spans, this.budget);
    this.changed();
    for (const segment of removed) this.#removedInUse.add(segment);
    const left = () => {
      for (const segment of removed) this.#removedInUse.delete(segment);
      retire();
    };
    const last = this.#versions.at(-1);
    if (last === undefined) left();
    else {
      last.whenUnused.push(left);
      this.#sweep();
    }
  }

  /** Drops all derived data, which may describe erased persons. */
  forgetDerived(): void {
    for (const rows of [...this.#segments, ...this.#sealing, ...this.heads]) rows.forgetDerived();
    for (const span of this.#spans.spans.values()) span.release();
    this.#spans = SpanTree.of(this.#segments, this.#headsWithRows(), SpanTree.EMPTY, this.budget);
    this.changed();
  }

  snapshot(sequence: number): Snapshot {
    const version = this.#current ?? this.#makeVersion(sequence);
    version.userCount += 1;
    return new VersionSnapshot(version, () => {
      version.userCount -= 1;
      if (version.userCount === 0 && version !== this.#current) this.#sweep();
    });
  }

  #makeVersion(sequence: number): CatalogVersion {
    this.#spans = SpanTree.of(this.#segments, this.#headsWithRows(), this.#spans, this.budget);
    this.#current = new CatalogVersion(this.#spans, sequence);
    this.#versions.push(this.#current);
    this.#sweep();
    return this.#current;
  }

  #headsWithRows(): Head[] {
    return [...this.#sealing, ...this.heads].filter(({ rowCount }) => rowCount > 0);
  }

  /** Drops unused versions, oldest first: a later version may read what an earlier one reads. */
  #sweep(): void {
    for (let oldest = this.#versions[0]; oldest !== undefined && oldest.userCount === 0 && oldest !== this.#current; oldest = this.#versions[0]) {
      this.#versions.shift();
      for (const act of oldest.whenUnused) act();
    }
  }
}

const USER_ID = fieldIndex("userId");
const ANONYMOUS_ID = fieldIndex("anonymousId");
const COMPANY_ID = fieldIndex("companyId");
/** Cost of adding a record, in values. */
const RECORD_VALUE_COUNT = 512;
/** Cost of adding a link, in values. */
const LINK_VALUE_COUNT = 128;
/** Cost of adding an id that only records name, in values. */
const RECORD_ONLY_ID_VALUE_COUNT = 32;

/** The records and links of a store, and which ids its events and records have. Each commit adds to it, as to the catalog. */
export class Identities {
  /** Replaced as a whole by an erasure. */
  records: RecordTable;
  resolver: IdentityResolver;
  /** Resolves once the records of a commit are all added; null while none are being added. */
  #adding: Promise<void> | null = null;

  /** @param durableSizes dictionary sizes covered by journals */
  constructor(
    readonly dictionaries: Dictionaries,
    durableSizes: ReadonlyMap<string, number>,
  ) {
    this.records = new RecordTable();
    this.resolver = new IdentityResolver(this.records, dictionaries);
    this.resolver.committed(durableSizes);
  }

  get recordOnlyIds(): RecordOnlyIds {
    const { users, anonymous, companies } = this.resolver;
    return { userId: users.recordOnlyCodes(), anonymousId: anonymous.recordOnlyCodes(), companyId: companies.recordOnlyCodes() };
  }

  /** Discards everything and starts again from the links of segments. */
  replace(segments: readonly Segment[], durableSizes: ReadonlyMap<string, number>): void {
    this.records = new RecordTable();
    this.resolver = new IdentityResolver(this.records, this.dictionaries);
    this.resolver.committed(durableSizes);
    this.addLinks(segments);
  }

  /** Adds the links of sealed segments, which come from events with both ids. */
  addLinks(segments: readonly Segment[]): void {
    for (const { links, day } of segments) this.#addLinkRange(links, dayStartMs(day), 0, links.times.length);
  }

  /** Like `addLinks` for one segment, but yields. */
  async addLinksYielding({ links, day }: Segment, yielder: Yielder): Promise<void> {
    await yielder.inPieces(links.times.length, (from, to) => this.#addLinkRange(links, dayStartMs(day), from, to), LINK_VALUE_COUNT);
  }

  add({ records, recordOnlyIds }: RecordBatch): void {
    for (const [ids, codes] of this.#codesByRole(recordOnlyIds)) for (const code of codes) ids.addRecordOnly(code);
    this.#addRecords(records, 0, records.rowCount);
  }

  /** Yields. @param complete makes the rest of the commit visible; `betweenCommits` waits for it @param segments whose links are added first */
  async addYielding({ records, recordOnlyIds }: RecordBatch, complete: () => void, yielder = new Yielder(), segments: readonly Segment[] = []): Promise<void> {
    let end = (): void => undefined;
    this.#adding = new Promise((resolve) => (end = resolve));
    try {
      for (const segment of segments) await this.addLinksYielding(segment, yielder);
      for (const [ids, codes] of this.#codesByRole(recordOnlyIds))
        await yielder.inPieces(codes.length, (from, to) => codes.slice(from, to).forEach((code) => ids.addRecordOnly(code)), RECORD_ONLY_ID_VALUE_COUNT);
      await yielder.inPieces(records.rowCount, (from, to) => this.#addRecords(records, from, to), RECORD_VALUE_COUNT);
      complete();
    } finally {
      this.#adding = null;
      end();
    }
  }

  async betweenCommits<T>(read: () => T): Promise<Awaited<T>> {
    while (this.#adding !== null) await this.#adding;
    return await read();
  }

  addEvents({ times, codes, rowCount }: Batch): void {
    const { resolver } = this;
    const [users, anonymous, companies] = [codes[USER_ID], codes[ANONYMOUS_ID], codes[COMPANY_ID]] as [Uint32Array, Uint32Array, Uint32Array];
    for (let row = 0; row < rowCount; row += 1) {
      const anonymousId = anonymous[row] as number;
      const userId = users[row] as number;
      resolver.users.seen(userId);
      resolver.anonymous.seen(anonymousId);
      resolver.companies.seen(companies[row] as number);
      if (anonymousId !== 0 && userId !== 0) resolver.link({ anonymousId, userId, createdAtMs: times[row] as number });
    }
  }

  #addLinkRange({ anonymousIds, userIds, times }: LinkList, startMs: number, from: number, to: number): void {
    const { resolver } = this;
    for (let at = from; at < to; at += 1)
      resolver.link({ anonymousId: anonymousIds[at] as number, userId: userIds[at] as number, createdAtMs: startMs + (times[at] as number) });
  }

  /** Marks all ids that only records name as used by events, except those in `recordOnlyIds`. */
  keepRecordOnly(recordOnlyIds: RecordOnlyIds): void {
    for (const [ids, codes] of this.#codesByRole(recordOnlyIds)) {
      const left = new Set(codes);
      for (const code of ids.recordOnlyCodes()) if (!left.has(code)) ids.seen(code);
    }
  }

  #codesByRole({ userId, anonymousId, companyId }: RecordOnlyIds) {
    const { users, anonymous, companies } = this.resolver;
    return [[users, userId], [anonymous, anonymousId], [companies, companyId]] as const;
  }

  #addRecords(records: RecordColumns, from: number, to: number): void {
    for (let row = from; row < to; row += 1) this.resolver.addRecord(this.records.copy(records, row));
  }
}
