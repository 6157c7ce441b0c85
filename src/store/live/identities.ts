import { dayStartMs } from "../../core/base/time.js";
import { Turns } from "../../core/base/yield.js";
import type { Dictionaries } from "../../storage/column/dictionaries.js";
import { RecordTable, type RecordColumns } from "../../identity/record-table.js";
import { IdentityResolver } from "../../identity/resolver.js";
import { fieldIndex } from "../../core/schema/fields.js";
import type { LinkList } from "../../storage/segment/links.js";
import type { Segment } from "../../storage/segment/segment.js";
import type { Batch, RecordOnlyIds, RecordBatch } from "../batch/batch.js";

const USER_ID = fieldIndex("userId");
const ANONYMOUS_ID = fieldIndex("anonymousId");
const COMPANY_ID = fieldIndex("companyId");
/** Cost of adding a record, in values. */
const RECORD_VALUE_COUNT = 512;
/** Cost of adding a link, in values. */
const LINK_VALUE_COUNT = 128;
/** Cost of adding an id that only records name, in values. */
const RECORD_ONLY_ID_VALUE_COUNT = 32;

/** All records of a store, and the identities that follow from them and from its events. */
export class Identities {
  /** Replaced as a whole by an erasure. */
  records: RecordTable;
  resolver: IdentityResolver;
  /** Resolves once the records of a commit are all added; null while none are being added. */
  #taking: Promise<void> | null = null;

  /** @param durableSizes dictionary sizes covered by journals */
  constructor(
    readonly dictionaries: Dictionaries,
    durableSizes: ReadonlyMap<string, number>,
  ) {
    this.records = new RecordTable();
    this.resolver = new IdentityResolver(this.records, dictionaries);
    this.resolver.committed(durableSizes);
  }

  /** Ids that no event has used yet, as record files store them. */
  get recordOnlyIds(): RecordOnlyIds {
    const { users, anonymous, companies } = this.resolver;
    return { userId: users.recordOnlyCodes(), anonymousId: anonymous.recordOnlyCodes(), companyId: companies.recordOnlyCodes() };
  }

  /** Discards everything and starts again from the links of segments. */
  replace(segments: readonly Segment[], durableSizes: ReadonlyMap<string, number>): void {
    this.records = new RecordTable();
    this.resolver = new IdentityResolver(this.records, this.dictionaries);
    this.resolver.committed(durableSizes);
    this.takeLinks(segments);
  }

  /** Adds the links of sealed segments, which come from events with both ids. */
  takeLinks(segments: readonly Segment[]): void {
    for (const { links, day } of segments) this.#takeLinks(links, dayStartMs(day), 0, links.times.length);
  }

  /** Like `takeLinks` for one segment, but yields. */
  async takeLinksInTurns({ links, day }: Segment, turns: Turns): Promise<void> {
    await turns.inPieces(links.times.length, (from, to) => this.#takeLinks(links, dayStartMs(day), from, to), LINK_VALUE_COUNT);
  }

  take({ records, recordOnlyIds }: RecordBatch): void {
    for (const [ids, codes] of this.#codesByRole(recordOnlyIds)) for (const code of codes) ids.addRecordOnly(code);
    this.#takeRows(records, 0, records.rowCount);
  }

  /**
   * Adds records, yielding in between. @param complete makes the rest of their commit visible; called at the end, until which `betweenCommits` waits
   * @param segments segments whose links are added first
   */
  async takeInTurns({ records, recordOnlyIds }: RecordBatch, complete: () => void, turns = new Turns(), segments: readonly Segment[] = []): Promise<void> {
    let end = (): void => undefined;
    this.#taking = new Promise((resolve) => (end = resolve));
    try {
      for (const segment of segments) await this.takeLinksInTurns(segment, turns);
      for (const [ids, codes] of this.#codesByRole(recordOnlyIds))
        await turns.inPieces(codes.length, (from, to) => codes.slice(from, to).forEach((code) => ids.addRecordOnly(code)), RECORD_ONLY_ID_VALUE_COUNT);
      await turns.inPieces(records.rowCount, (from, to) => this.#takeRows(records, from, to), RECORD_VALUE_COUNT);
      complete();
    } finally {
      this.#taking = null;
      end();
    }
  }

  async betweenCommits<T>(read: () => T): Promise<Awaited<T>> {
    while (this.#taking !== null) await this.#taking;
    return await read();
  }

  takeEvents({ times, codes, rowCount }: Batch): void {
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

  #takeLinks({ anonymousIds, userIds, times }: LinkList, startMs: number, from: number, to: number): void {
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

  #takeRows(records: RecordColumns, from: number, to: number): void {
    for (let row = from; row < to; row += 1) this.resolver.addRecord(this.records.copy(records, row));
  }
}
