import type { RecordBatch } from "../formats/arrow/record-batches.js";
import type { ExportOptions, IngestOptions, StopOptions, TrackOptions } from "../core/base/options.js";
import type { ExportArrowInput, ExportDeletionsInput, ExportInput, RecordBatchesInput } from "../query/plan/input.js";
import type { Scope } from "../query/plan/scope.js";
import type { Queries, ReportName } from "../query/queries.js";
import type { EventInput, IngestResult, ExportedEvent } from "../core/schema/event.js";
import type { AliasInput, GroupInput, IdentifyInput, LinkResult, RecordInput, StoredRecord } from "../core/schema/record.js";
import type { BackupReport } from "../store/backup/backup-store.js";
import type { Storage } from "../store/storage/storage.js";
import type { Change, ChangesOptions } from "./follow/changes.js";
import type { DeleteEventsInput, DeletionReceipt } from "./upkeep/deletions.js";
import type { ExportedDeletion } from "./exports/deletions.js";
import type { Explanation } from "./query/explain.js";
import type { ErasureReceipt, PrivacyRequestInput, PrivacyRequests } from "./privacy/requests.js";
import type { Segments } from "./query/saved-segments.js";
import type { DaybookStats } from "./upkeep/stats.js";
import type { SignScopeOptions, VerifiedScope } from "./tokens/scope-tokens.js";
import type { TimeToLive } from "./upkeep/time-to-live.js";

/** The queries of a Daybook, limited to a scope: it answers as a store that holds only the events of the scope, and every identity record. */
export interface ScopedDaybook extends Queries {
  /** As `explain` of the whole Daybook. @throws as the query */
  explain(report: ReportName, input?: object): Promise<Explanation>;
  /** The intersection of this scope and another one. @throws as `scoped` of a Daybook */
  scoped(scope: Scope): ScopedDaybook;
}

/** One organization's events and every query on them. Close it when done; `await using` does. */
export interface Daybook extends Queries, AsyncDisposable {
  /**
   * Stores a batch; resolves when it is durable. An invalid event never fails the others: it is listed in `rejected`, or with `onRejected: "throw"`
   * in the details of an error that is thrown after the others are stored.
   * @throws overloaded, read_only, storage_full, store_locked (another process took over the store), closed, invalid_parameter (events is not an
   * array), unknown_parameter; with `onRejected: "throw"` the code of the first rejected event
   */
  ingest(events: readonly EventInput[], options?: IngestOptions): Promise<IngestResult>;
  /**
   * Puts an event into a bounded queue and returns at once. The queue stores batches in order and retries those that fail temporarily; the option
   * `track` sets its bounds and times, and `onError`, which gets the events that were not stored. An event without an id gets one now, so that it is
   * stored once, and one without a time the time of the call. The event may change afterwards, its metadata may not.
   * @throws closed, invalid_parameter, unknown_parameter (an option)
   */
  track(event: EventInput, options?: TrackOptions): void;
  /**
   * Sends the events tracked so far without delay. Resolves when each is stored, rejected or given up.
   * @throws aborted, closed, unknown_parameter; without `onError` the first error since the last flush
   */
  flush(options?: StopOptions): Promise<void>;
  /** Links ids, an email and traits; resolves when durable. @throws invalid_parameter, suppressed, and what ingest throws */
  identify(input: IdentifyInput): Promise<LinkResult>;
  /** Makes a person a member of a company. @throws as identify */
  group(input: GroupInput): Promise<LinkResult>;
  /** Assigns one id to another user. @throws as identify */
  alias(input: AliasInput): Promise<LinkResult>;
  /** Revokes a record of identify, group or alias, as if it had never been stored. @throws invalid_parameter (no such record), read_only, closed */
  unlink(linkId: string): Promise<void>;
  /**
   * Stores records as one batch, in any order: what `exportRecords` yields, or the inputs of the four methods above and `createProject`. Resolves
   * when it is durable. Yields to other work meanwhile; a query sees all of the batch or nothing. The array may change after the call returns, its
   * records may not. An invalid or `suppressed` record never fails the others: it is listed in `rejected`.
   * @throws invalid_parameter (records is not an array), and what ingest throws
   */
  ingestRecords(records: readonly RecordInput[]): Promise<IngestResult>;
  /** Saved segments: people by behavior and attributes, for `in_segment` in the filters of any query. */
  readonly segments: Segments;
  /** Data subject requests: access, erasure and others. */
  readonly privacyRequests: PrivacyRequests;
  /**
   * Erases a person in all projects: creates a privacy request and takes all its steps. Resolves when every byte is removed. If a step fails, the
   * request stays as it is, for `privacyRequests` to continue.
   * @throws as `create`, `verify`, `acknowledge` and `resolve` of `privacyRequests`
   */
  erase(subject: PrivacyRequestInput["subject"]): Promise<ErasureReceipt>;
  /** How long events are kept. */
  readonly timeToLive: TimeToLive;
  /**
   * Deletes the events before an instant, of one project or of all, as if they had never been stored: from answers at once, and from every stored
   * byte before it resolves. Records stay. Waits for queries that read the events. Cost: a scan of the columns whose values may go, and new files for
   * days that are cut or shared with other projects.
   * @throws invalid_parameter, unknown_parameter, invalid_date, project_not_found, read_only, storage_full, closed
   */
  deleteEvents(input: DeleteEventsInput): Promise<DeletionReceipt>;
  /** Deletes all events that pages sent with a public key, and the identity records sent with it. @throws as deleteEvents */
  deleteEventsOfKey(key: string): Promise<DeletionReceipt>;
  /** Deletes all events of a project, its name and its time-to-live rule; the name `default` stays. @throws project_not_found, and as deleteEvents */
  deleteProject(name: string): Promise<DeletionReceipt>;
  /** Reports what a query would read, without reading it. `report` is the method's name. @throws as the query */
  explain(report: ReportName, input?: object): Promise<Explanation>;
  /**
   * The same queries, limited to what a scope lets through. What the scope forbids fails with `forbidden_by_scope` before anything is read.
   * @throws invalid_parameter, unknown_parameter, invalid_date, invalid_date_range, invalid_operator, invalid_filter_value, too_many_filters, closed
   */
  scoped(scope: Scope): ScopedDaybook;
  /**
   * Signs a scope as a token `ds_…` that opens the query routes of `createHandler` to its holder, limited to the scope, until it expires. Holders
   * can read the scope, but not change it. Nothing is stored but the signing key, with the first token. Cost: one read of a small file.
   * @throws what `scoped` throws; invalid_parameter (also a token of over 4,096 characters), unknown_parameter, exactly_one_required, invalid_date,
   * invalid_regex, read_only, storage_full, closed
   */
  signScope(scope: Scope, options: SignScopeOptions): Promise<string>;
  /**
   * Reads a token that `signScope` of this store returned. Every other text, and an expired token, fails with `invalid_token`. A rotation by another
   * process applies within half a second. Cost: some 5 µs for a token that was verified before.
   * @throws invalid_token, corruption, closed
   */
  verifyScopeToken(token: string): Promise<VerifiedScope>;
  /**
   * Signs later tokens under a new key. Tokens of the key before it stay valid, those of older keys are invalid from now on: two rotations revoke
   * all.
   * @throws read_only, storage_full, closed
   */
  rotateSigningKey(): Promise<void>;
  /**
   * Yields stored events in (createdAt, id) order, one day in memory at a time: all of a snapshot, or those that `input` selects.
   *
   * For a copy that grows, keep what `onSequence` reports, and pass it as `afterSequence` the next time: that yields all events stored since, late
   * ones too, each with its sequence. Then pass the same number to `exportDeletions`. A store restored from an earlier backup may give sequences of
   * the copy to other events.
   *
   * Cost: the rows yielded, and with filters or sequences first a scan of the columns that select: it skips segments without later rows, and keeps
   * one bit a row of the others.
   * @throws invalid_parameter (also a sequence that the store has not reached), unknown_parameter, invalid_date, invalid_date_range,
   * too_many_filters, invalid_operator, invalid_filter_value, invalid_regex, aborted, closed
   */
  exportEvents(input?: ExportInput, options?: ExportOptions): AsyncIterable<ExportedEvent>;
  /**
   * Yields what was deleted or erased since a copy reached a sequence, oldest first. Call it after the export of events that continues after the same
   * sequence, and apply it to old and new events alike. Deletions are kept for 30 days.
   * @throws invalid_parameter (also a sequence that the store has not reached, or one before forgotten deletions), unknown_parameter, aborted, closed
   */
  exportDeletions(input: ExportDeletionsInput, options?: StopOptions): AsyncIterable<ExportedDeletion>;
  /**
   * Yields every project that no event names, then every identity record in (createdAt, id) order: together with all events, a copy of the store.
   * Takes no dates and no project, because identities apply to the past too, and to the whole organization.
   * @throws unknown_parameter, aborted, closed
   */
  exportRecords(options?: StopOptions): AsyncIterable<StoredRecord>;
  /** Yields the same events as an Arrow IPC stream, or file; `import --format arrow` reads it back. @throws as exportEvents */
  exportArrow(input?: ExportArrowInput, format?: "stream" | "file", options?: ExportOptions): AsyncIterable<Uint8Array>;
  /** Yields the same events as a Parquet file, in chunks; `import --format parquet` reads it back. @throws as exportEvents */
  exportParquet(input?: ExportInput, options?: ExportOptions): AsyncIterable<Uint8Array>;
  /**
   * Yields the events of a snapshot, taken when the first batch is requested, as Arrow record batches over the in-memory arrays of segments and
   * heads: one batch for each, days ascending, in order of time only within sealed ones. All have one schema: `new Table(batches)` takes them. For
   * fields and `metadata.KEY` (JSON texts) a batch has the stored codes as indexes of one dictionary, which holds values of the whole store, whatever
   * `project` is.
   *
   * Not copied: `id` (16 bytes), `sequence` and these codes, where a batch has all rows of a segment or a run of them. Computed: `createdAt`,
   * `notify`, `value`, validity (one bit a row), keys that few rows have, codes narrower than those of another batch, and all columns that `project`
   * cuts. Never write to the arrays. The data is held, and an erasure waits, until the last batch is read or the iterator is returned. As with every
   * export, if nothing is requested for a minute while an erasure waits, the next request throws `query_timeout`.
   * @throws invalid_parameter, unknown_parameter, invalid_date, invalid_date_range, aborted, closed, query_timeout, corruption
   */
  recordBatches(input?: RecordBatchesInput, options?: StopOptions): AsyncIterable<RecordBatch>;
  /** Creates a project before its first event. @throws invalid_parameter, read_only, storage_full, closed */
  createProject(name: string): Promise<void>;
  /** Names of all projects, by code point, always with `default`, the project of events that name none. */
  projects(): readonly string[];
  /**
   * Yields changes after commits and links, until the iterator is returned or the Daybook is closed: at most one in 250 ms. A slow consumer gets only
   * the newest, with the projects of all it missed. Changes from before the call are not reported, unless `after` is an earlier sequence.
   * @throws invalid_parameter, unknown_parameter, overloaded (over 1,000 listeners), aborted, closed
   */
  changes(options?: ChangesOptions): AsyncIterable<Change>;
  /**
   * Copies the state at this call, or a later one, to another storage while ingest and queries go on. The copy is a store that opens and verifies
   * like any other. The files of a previous backup there are kept where they are still right, and otherwise removed. Cost: one read and one write of
   * each file that is missing there.
   * @throws invalid_parameter (the storage holds something else), store_locked (it is open), overloaded, storage_full, corruption, closed
   */
  backup(storage: Storage): Promise<BackupReport>;
  /** Figures about what is stored and the state of the store. @throws closed */
  stats(): Promise<DaybookStats>;
  /** The organization's reporting currency, ISO 4217. */
  readonly currency: string;
  /** `ok`, or `read_only` after a failed sync, after another process took over the store, or on a read-only open. */
  readonly health: "ok" | "read_only" | "closed";
  /**
   * Seals the heads into segments now and merges small segments; both also happen by themselves, at size bounds and in quiet periods.
   * @throws read_only, storage_full, closed
   */
  seal(): Promise<void>;
  /**
   * Flushes the queue of `track`, waits for writes in flight, seals, and releases the lock. Later calls fail with `closed`.
   * @throws storage_full, and what `flush` throws
   */
  close(): Promise<void>;
}
