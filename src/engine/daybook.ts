import type { RecordBatch } from "../formats/arrow/record-batches.js";
import type { IngestOptions, StopOptions } from "../core/base/options.js";
import type {
  CompanyTopUsers,
  IdentityDeviceGeo,
  IdentityProfile,
  IdentityReferrers,
  IdentitySessionsPage,
  LtvCohorts,
  RevenueByAttribution,
  SearchEventsPage,
  TopCompanies,
} from "../query/plan/answers.js";
import type {
  AggregateInput,
  AggregateItem,
  CompanyTopUsersInput,
  CountEventsInput,
  ExportArrowInput,
  ExportInput,
  IdentityInput,
  IdentityReferrersInput,
  IdentitySessionsInput,
  LtvCohortsInput,
  PerDayInput,
  PerDayItem,
  RecordBatchesInput,
  RevenueByAttributionInput,
  SearchEventsInput,
  TopCompaniesInput,
  UniqueUsersInput,
  UniqueUsersPerDayInput,
} from "../query/plan/input.js";
import type { Funnel, Lifecycle, Paths, Retention, SessionsOverview, Stickiness, Trend, WebOverview } from "../query/plan/insights/answers.js";
import type {
  FunnelInput,
  LifecycleInput,
  PathsInput,
  RetentionInput,
  SessionsOverviewInput,
  StickinessInput,
  TrendInput,
  WebOverviewInput,
} from "../query/plan/insights/input.js";
import type { ReportName } from "../query/plan/plan.js";
import type { EventInput, EventRecord, IngestResult, ExportedEvent } from "../core/schema/event.js";
import type { AliasInput, GroupInput, IdentifyInput, LinkResult, RecordInput, StoredRecord } from "../core/schema/record.js";
import type { BackupReport } from "../store/backup/backup-store.js";
import type { Storage } from "../store/storage/storage.js";
import type { Change, ChangesOptions } from "./follow/changes.js";
import type { DeleteEventsInput, DeletionReceipt } from "./upkeep/deletions.js";
import type { Explanation } from "./query/explain.js";
import type { PrivacyRequests } from "./privacy/requests.js";
import type { QueryOptions } from "./query/on-snapshot.js";
import type { Segments } from "./query/saved-segments.js";
import type { DaybookStats } from "./upkeep/stats.js";
import type { TimeToLive } from "./upkeep/time-to-live.js";

/** One organization's events and every query on them. Close it when done; `await using` does. */
export interface Daybook extends AsyncDisposable {
  /**
   * Stores a batch; resolves when it is durable. An invalid event never fails the others: it is listed in `rejected`.
   * @throws overloaded, read_only, storage_full, store_locked (another process took over the store), closed, invalid_parameter (events is not an
   * array), unknown_parameter
   */
  ingest(events: readonly EventInput[], options?: IngestOptions): Promise<IngestResult>;
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
  /**
   * Counts events; without input, all of them.
   * @throws invalid_parameter, unknown_parameter, invalid_date, invalid_date_range, invalid_operator, invalid_filter_value, invalid_regex,
   * too_many_filters, aborted, closed, corruption; so do all queries with filters
   */
  countEvents(input?: CountEventsInput, options?: QueryOptions): Promise<number>;
  /** Counts events per UTC day, in order; days without events are omitted unless `fill` is set. @throws as countEvents */
  countEventsPerDay(input?: PerDayInput, options?: QueryOptions): Promise<readonly PerDayItem[]>;
  /** Counts the events up to and including each UTC day of the range; the last item equals `countEvents`. @throws as countEvents */
  countEventsRunningTotalPerDay(input?: PerDayInput, options?: QueryOptions): Promise<readonly PerDayItem[]>;
  /** Counts distinct people: linked ids count once, events without any id do not count. @throws as countEvents */
  countUniqueUsers(input?: UniqueUsersInput, options?: QueryOptions): Promise<number>;
  /** Counts distinct people per UTC day; a person active on two days counts on both. @throws as countEvents */
  countUniqueUsersPerDay(input?: UniqueUsersPerDayInput, options?: QueryOptions): Promise<readonly PerDayItem[]>;
  /**
   * Counts events per value of a field or metadata key, most frequent first; events without a value count under `""`.
   * @throws as countEvents, exactly_one_required, too_many_values (by `id` or `createdAt`: over 1,048,576 of them)
   */
  aggregate(input: AggregateInput, options?: QueryOptions): Promise<readonly AggregateItem[]>;
  /** Reads a page of events, newest first. With `allFields: false` they are plain records, which saves a few µs per event. */
  searchEvents(input: SearchEventsInput & { readonly allFields: false }, options?: QueryOptions): Promise<SearchEventsPage<EventRecord>>;
  /** Reads a page of events, newest first: pass `cursor` back for the next page. @throws as countEvents, invalid_cursor, cursor_mismatch */
  searchEvents(input?: SearchEventsInput, options?: QueryOptions): Promise<SearchEventsPage>;
  /**
   * Reads a page of one person's sessions, newest first.
   * @throws identity_not_found, exactly_one_required, invalid_cursor, cursor_mismatch, and as countEvents
   */
  identitySessions(input: IdentitySessionsInput, options?: QueryOptions): Promise<IdentitySessionsPage>;
  /**
   * Summarizes one person's activity in a range: events, sessions, their length and frequency, and revenue.
   * @throws identity_not_found, exactly_one_required, and as countEvents
   */
  identityProfile(input: IdentityInput, options?: QueryOptions): Promise<IdentityProfile>;
  /** The pages that referred one person, most frequent first. @throws identity_not_found, exactly_one_required, and as countEvents */
  identityReferrers(input: IdentityReferrersInput, options?: QueryOptions): Promise<IdentityReferrers>;
  /** The latest and earlier devices and locations of one person. @throws identity_not_found, exactly_one_required, and as countEvents */
  identityDeviceGeo(input: IdentityInput, options?: QueryOptions): Promise<IdentityDeviceGeo>;
  /**
   * Attributes the revenue of a project: payments in the range, by the first or last touch of the payer.
   * @throws project_not_found, and as countEvents
   */
  revenueByAttribution(input: RevenueByAttributionInput, options?: QueryOptions): Promise<RevenueByAttribution>;
  /** Revenue to date of each month's new people, newest month first. @throws project_not_found, and as countEvents */
  ltvCohorts(input: LtvCohortsInput, options?: QueryOptions): Promise<LtvCohorts>;
  /** The companies of all projects, ranked by users, events, last seen or revenue. @throws as countEvents */
  topCompanies(input?: TopCompaniesInput, options?: QueryOptions): Promise<TopCompanies>;
  /** The most active identified people of one company. @throws company_not_found, and as countEvents */
  companyTopUsers(input: CompanyTopUsersInput, options?: QueryOptions): Promise<CompanyTopUsers>;
  /**
   * A measure over time, in buckets from minutes to years of a time zone, by the values of up to two fields: one figure per bucket, `null` where
   * there is none. Without input: events by day. Revenue is in the reporting currency. Cost: the rows of the range on the first run; later only the
   * rows of partly covered days and new ones. By company, by touch or by two fields: the rows of the range each time.
   * @throws as countEvents (as do all insights: an invalid zone or level, or too many buckets, is invalid_parameter on the member's path),
   * exactly_one_required (a segment window with both dates and `lastDays`)
   */
  trend(input?: TrendInput, options?: QueryOptions): Promise<Trend>;
  /**
   * How many people completed a series of steps in order, how far they got and how long it took: rates are 0 to 1, times seconds. Of a person's
   * attempts, the one that got furthest counts. Cost: the rows that match a step, once; then a few reads per person who may have entered.
   * @throws as trend
   */
  funnel(input: FunnelInput, options?: QueryOptions): Promise<Funnel>;
  /**
   * Which people came back: cohorts, and how many of each acted in the days, weeks or months after; rates are 0 to 1. Cost: the matching rows (of all
   * time for first times), once; then one read per person and bucket.
   * @throws as trend
   */
  retention(input?: RetentionInput, options?: QueryOptions): Promise<Retention>;
  /** How many people were new, returning, resurrected or dormant in each bucket. Cost: as retention. @throws as trend */
  lifecycle(input?: LifecycleInput, options?: QueryOptions): Promise<Lifecycle>;
  /** People by the number of hours, days, weeks or months in which they were active. Cost: as retention. @throws as trend */
  stickiness(input?: StickinessInput, options?: QueryOptions): Promise<Stickiness>;
  /**
   * The paths through sessions, step by step: by page, or by the values of another field. Figures are sessions. Cost: the matching rows of the range
   * each time, and the sessions that start in it.
   * @throws as trend
   */
  paths(input?: PathsInput, options?: QueryOptions): Promise<Paths>;
  /**
   * Sessions that start in the range: how many, how long (seconds) and how deep, where they begin and end. Cost: the sessions of the range; with
   * filters also the matching rows. The first run reads all rows of the store.
   * @throws as trend
   */
  sessionsOverview(input?: SessionsOverviewInput, options?: QueryOptions): Promise<SessionsOverview>;
  /**
   * The figures and lists of a web site: visitors and views of the events; visits, sources, countries and devices of the sessions that start in the
   * range. Durations are seconds, rates 0 to 1. Cost: as sessionsOverview.
   * @throws as trend
   */
  webOverview(input?: WebOverviewInput, options?: QueryOptions): Promise<WebOverview>;
  /** Saved segments: people by behavior and attributes, for `in_segment` in the filters of any query. */
  readonly segments: Segments;
  /** Data subject requests: access, erasure and others. */
  readonly privacyRequests: PrivacyRequests;
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
   * Yields every stored event in (createdAt, id) order, one day in memory at a time.
   * @throws invalid_parameter, unknown_parameter, invalid_date, aborted, closed
   */
  exportEvents(input?: ExportInput, options?: StopOptions): AsyncIterable<ExportedEvent>;
  /**
   * Yields every project that no event names, then every identity record in (createdAt, id) order: together with all events, a copy of the store.
   * Takes no dates and no project, because identities apply to the past too, and to the whole organization.
   * @throws unknown_parameter, aborted, closed
   */
  exportRecords(options?: StopOptions): AsyncIterable<StoredRecord>;
  /** Yields the same events as an Arrow IPC stream, or file; `import --format arrow` reads it back. @throws as exportEvents */
  exportArrow(input?: ExportArrowInput, format?: "stream" | "file", options?: StopOptions): AsyncIterable<Uint8Array>;
  /** Yields the same events as a Parquet file, in chunks; `import --format parquet` reads it back. @throws as exportEvents */
  exportParquet(input?: ExportInput, options?: StopOptions): AsyncIterable<Uint8Array>;
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
  /** Waits for writes in flight, seals, and releases the lock. Later calls fail with `closed`. @throws storage_full */
  close(): Promise<void>;
}
