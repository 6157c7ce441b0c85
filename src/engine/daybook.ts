import type { RecordBatch } from "../arrow/record-batches.js";
import type { IngestOptions } from "../base/call-options.js";
import type { StopOptions } from "../base/stop-options.js";
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
} from "../plan/answers.js";
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
} from "../plan/input.js";
import type { Funnel, Lifecycle, Paths, Retention, SessionsOverview, Stickiness, Trend, WebOverview } from "../plan/insights/answers.js";
import type {
  FunnelInput,
  LifecycleInput,
  PathsInput,
  RetentionInput,
  SessionsOverviewInput,
  StickinessInput,
  TrendInput,
  WebOverviewInput,
} from "../plan/insights/input.js";
import type { ReportName } from "../plan/plan.js";
import type { EventInput, EventRecord, IngestResult } from "../schema/event.js";
import type { ExportedEvent } from "../schema/exported-event.js";
import type { AliasInput, GroupInput, IdentifyInput, LinkResult, RecordInput, StoredRecord } from "../schema/record.js";
import type { BackupReport } from "../store/backup/backup-store.js";
import type { Storage } from "../store/storage/storage.js";
import type { Change, ChangesOptions } from "./follow/changes.js";
import type { DeleteEventsInput, DeletionReceipt } from "./upkeep/deletions.js";
import type { Explanation } from "./question/explain.js";
import type { PrivacyRequests } from "./privacy/requests.js";
import type { QueryOptions } from "./question/query-options.js";
import type { Segments } from "./question/saved-segments.js";
import type { DaybookStats } from "./upkeep/stats.js";
import type { TimeToLive } from "./upkeep/time-to-live.js";

/** One organization's events and every question about them. Close it when done; `await using` does. */
export interface Daybook extends AsyncDisposable {
  /**
   * Stores a batch; resolves when it is durable. A bad event never fails the others: it comes back in `rejected`.
   * @throws overloaded, read_only, storage_full, store_locked (another process took the store over), closed, invalid_parameter (events is
   * not an array), unknown_parameter
   */
  ingest(events: readonly EventInput[], options?: IngestOptions): Promise<IngestResult>;
  /** Ties ids, an email and traits together; resolves when durable. @throws invalid_parameter, suppressed, and what ingest throws */
  identify(input: IdentifyInput): Promise<LinkResult>;
  /** Makes somebody a member of a company. @throws as identify */
  group(input: GroupInput): Promise<LinkResult>;
  /** Makes one id another user's. @throws as identify */
  alias(input: AliasInput): Promise<LinkResult>;
  /** Takes a record of identify, group or alias back, as if it had never come. @throws invalid_parameter (no such record), read_only, closed */
  unlink(linkId: string): Promise<void>;
  /**
   * Stores what `exportRecords` gave, or what the four above and `createProject` take, as one batch in any order; resolves when it is
   * durable. Others have turns meanwhile; a question sees all of the batch or nothing. The array may change once this returned, its records not.
   * A bad record never fails the others: it comes back in `rejected`, `suppressed` ones too.
   * @throws invalid_parameter (records is not an array), and what ingest throws
   */
  ingestRecords(records: readonly RecordInput[]): Promise<IngestResult>;
  /**
   * How many events there are. Without input: all of them.
   * @throws invalid_parameter, unknown_parameter, invalid_date, invalid_date_range, invalid_operator, invalid_filter_value, invalid_regex,
   * too_many_filters, aborted, closed, corruption; so do all questions with filters
   */
  countEvents(input?: CountEventsInput, options?: QueryOptions): Promise<number>;
  /** How many events each UTC day has, in order of days; days without events are left out unless `fill` is set. @throws as countEvents */
  countEventsPerDay(input?: PerDayInput, options?: QueryOptions): Promise<readonly PerDayItem[]>;
  /** How many events there are up to and with each UTC day of the range; the last item is `countEvents`. @throws as countEvents */
  countEventsRunningTotalPerDay(input?: PerDayInput, options?: QueryOptions): Promise<readonly PerDayItem[]>;
  /**
   * How many different people the events are of: ids that are known to belong together count once, events without any id not.
   * @throws as countEvents
   */
  countUniqueUsers(input?: UniqueUsersInput, options?: QueryOptions): Promise<number>;
  /** How many different people each UTC day has. Somebody of two days counts on both. @throws as countEvents */
  countUniqueUsersPerDay(input?: UniqueUsersPerDayInput, options?: QueryOptions): Promise<readonly PerDayItem[]>;
  /**
   * How many events each value of a field or of a metadata key has, most first; events without a value count for `""`.
   * @throws as countEvents, exactly_one_required, too_many_values (by `id` or `createdAt`: over 1,048,576 of them)
   */
  aggregate(input: AggregateInput, options?: QueryOptions): Promise<readonly AggregateItem[]>;
  /** The events themselves, newest first. With `allFields: false` events are records alone, which costs some µs less each. */
  searchEvents(input: SearchEventsInput & { readonly allFields: false }, options?: QueryOptions): Promise<SearchEventsPage<EventRecord>>;
  /**
   * The events themselves, newest first, a page at a time: hand `cursor` back for the next one.
   * @throws as countEvents, invalid_cursor, cursor_mismatch
   */
  searchEvents(input?: SearchEventsInput, options?: QueryOptions): Promise<SearchEventsPage>;
  /**
   * The visits of one person, newest first, a page at a time.
   * @throws identity_not_found, exactly_one_required, invalid_cursor, cursor_mismatch, and as countEvents
   */
  identitySessions(input: IdentitySessionsInput, options?: QueryOptions): Promise<IdentitySessionsPage>;
  /**
   * What one person did in a time: events, sessions, how long, how often, and revenue.
   * @throws identity_not_found, exactly_one_required, and as countEvents
   */
  identityProfile(input: IdentityInput, options?: QueryOptions): Promise<IdentityProfile>;
  /** Which pages one person came from, most frequent first. @throws identity_not_found, exactly_one_required, and as countEvents */
  identityReferrers(input: IdentityReferrersInput, options?: QueryOptions): Promise<IdentityReferrers>;
  /** On what device and from where one person came last, and before. @throws identity_not_found, exactly_one_required, and as countEvents */
  identityDeviceGeo(input: IdentityInput, options?: QueryOptions): Promise<IdentityDeviceGeo>;
  /**
   * Who brought the revenue of a project: payments of the time by the first or last touch of whoever paid.
   * @throws project_not_found, and as countEvents
   */
  revenueByAttribution(input: RevenueByAttributionInput, options?: QueryOptions): Promise<RevenueByAttribution>;
  /** What the newcomers of each month have paid since, newest month first. @throws project_not_found, and as countEvents */
  ltvCohorts(input: LtvCohortsInput, options?: QueryOptions): Promise<LtvCohorts>;
  /** The companies of all projects, by users, events, last seen or revenue. @throws as countEvents */
  topCompanies(input?: TopCompaniesInput, options?: QueryOptions): Promise<TopCompanies>;
  /** The most active identified people of one company. @throws company_not_found, and as countEvents */
  companyTopUsers(input: CompanyTopUsersInput, options?: QueryOptions): Promise<CompanyTopUsers>;
  /**
   * A measure over time, in the minutes to years of a time zone, by the values of up to two fields: one figure a bucket, `null` where there is
   * none. Without input: events by day. Revenue is in the reporting currency. Cost: asked the first time, the rows of the range; again, those of
   * days that it cuts and those that came since. By company, by touch or by two fields: the rows of the range each time.
   * @throws as countEvents (so do all insights: a zone, a level or too many buckets is invalid_parameter, on the member's path),
   * exactly_one_required (a window of a segment with both dates and `lastDays`)
   */
  trend(input?: TrendInput, options?: QueryOptions): Promise<Trend>;
  /**
   * How many people went through steps one after the other, how far, and how long it took them: rates are 0 to 1, times seconds. Of somebody's
   * tries the one counts that got furthest. Cost: the rows that match a step, once; then some looks at each of whoever may have begun.
   * @throws as trend
   */
  funnel(input: FunnelInput, options?: QueryOptions): Promise<Funnel>;
  /**
   * Who came back: cohorts of people, and how many of each did something in the days, weeks or months after; rates are 0 to 1. Cost: the rows
   * that match, of all time for first times, once; then a look at each person of each bucket.
   * @throws as trend
   */
  retention(input?: RetentionInput, options?: QueryOptions): Promise<Retention>;
  /**
   * How many people were new, came again, came back after a pause, or stayed away, bucket by bucket. Cost: as retention.
   * @throws as trend
   */
  lifecycle(input?: LifecycleInput, options?: QueryOptions): Promise<Lifecycle>;
  /** On how many hours, days, weeks or months people were active: people by their number of units. Cost: as retention. @throws as trend */
  stickiness(input?: StickinessInput, options?: QueryOptions): Promise<Stickiness>;
  /**
   * The ways through sessions, step by step: by pages, or by the values of another field. Figures are sessions. Cost: the matching rows of the range
   * each time, and the sessions that start in it.
   * @throws as trend
   */
  paths(input?: PathsInput, options?: QueryOptions): Promise<Paths>;
  /**
   * Sessions that start in the range: how many, how long (seconds) and how deep, where they began and where they ended. Cost: the sessions of the
   * range; with filters the matching rows too. Asked the first time, all rows of the store.
   * @throws as trend
   */
  sessionsOverview(input?: SessionsOverviewInput, options?: QueryOptions): Promise<SessionsOverview>;
  /**
   * The figures and lists of a web site: visitors and views of the events, visits, sources, countries and devices of the sessions that start in the
   * range; durations are seconds, rates 0 to 1. Cost: as sessionsOverview.
   * @throws as trend
   */
  webOverview(input?: WebOverviewInput, options?: QueryOptions): Promise<WebOverview>;
  /** Saved segments: people by what they did and are, for `in_segment` in the filters of any question. */
  readonly segments: Segments;
  /** Requests of persons about their data: access, erasure and the others. */
  readonly privacyRequests: PrivacyRequests;
  /** For how long events are kept. */
  readonly timeToLive: TimeToLive;
  /**
   * Takes the events before an instant away, of one project or of all, as if they had never come: at once from answers, and from every stored
   * byte before it resolves. Records stay. Waits for questions that read them. Cost: a scan of the columns whose values may go, and new
   * files of days that are cut, or shared with other projects. @throws invalid_parameter, unknown_parameter, invalid_date, project_not_found,
   * read_only, storage_full, closed
   */
  deleteEvents(input: DeleteEventsInput): Promise<DeletionReceipt>;
  /** The same with all events that pages brought by a public key, and what they told by it of who is who. @throws as deleteEvents */
  deleteEventsOfKey(key: string): Promise<DeletionReceipt>;
  /** The same with all events of a project, its name and its rule of time to live; `default` stays. @throws project_not_found, and as deleteEvents */
  deleteProject(name: string): Promise<DeletionReceipt>;
  /** What answering would touch, without touching it. `report` is the method's name. @throws as the question */
  explain(report: ReportName, input?: object): Promise<Explanation>;
  /**
   * Every stored event in (createdAt, id) order, a day in memory at a time.
   * @throws invalid_parameter, unknown_parameter, invalid_date, aborted, closed
   */
  exportEvents(input?: ExportInput, options?: StopOptions): AsyncIterable<ExportedEvent>;
  /**
   * Every project that no event names, then every record that tells who is who, in (createdAt, id) order: with all events, a copy of
   * the store. There are no dates and no project to ask for, because who is who holds for the past too, and for the whole organization.
   * @throws unknown_parameter, aborted, closed
   */
  exportRecords(options?: StopOptions): AsyncIterable<StoredRecord>;
  /** The same events as an Arrow IPC stream, or file, that other tools open: `import --format arrow` takes it back. @throws as exportEvents */
  exportArrow(input?: ExportArrowInput, format?: "stream" | "file", options?: StopOptions): AsyncIterable<Uint8Array>;
  /** The same events as a Parquet file, in pieces: `import --format parquet` takes it back. @throws as exportEvents */
  exportParquet(input?: ExportInput, options?: StopOptions): AsyncIterable<Uint8Array>;
  /**
   * The events of the moment when the first is asked for as Arrow record batches over the arrays that segments and heads have in memory, one batch
   * for each, days ascending; in order of time within sealed ones only. One schema for all: `new Table(batches)` takes them. Of fields and
   * `metadata.KEY` (JSON texts) a batch has the stored codes as indexes of one dictionary, which holds values of the whole store, whatever `project`
   * says.
   *
   * No copy: `id` (16 bytes), `sequence`, and these codes, of all rows of a segment or of a run of them. Made: `createdAt`, `notify`, `value`,
   * validity (a bit a row), keys that few rows have, codes narrower than those of another batch, and whatever is cut out of others by `project`.
   * Nothing may be written to the arrays. What is asked for is held, and an erasure waits, until the last batch was taken, the iterator is
   * returned, or, as of every export, nothing was asked of it for a minute: then it throws `query_timeout`.
   * @throws invalid_parameter, unknown_parameter, invalid_date, invalid_date_range, aborted, closed, query_timeout, corruption
   */
  recordBatches(input?: RecordBatchesInput, options?: StopOptions): AsyncIterable<RecordBatch>;
  /** Makes a project exist before its first event. @throws invalid_parameter, read_only, storage_full, closed */
  createProject(name: string): Promise<void>;
  /** Names of all projects, by code point; `default`, the project of events that name none, always is one. */
  projects(): readonly string[];
  /**
   * Tells that something changed, after commits and links, until it is stopped or the Daybook is closed: at most one change in 250 ms. Who is slow
   * hears of the newest only, with all projects of those before. Nothing is told of what came before it was asked, unless `after` is behind.
   * @throws invalid_parameter, unknown_parameter, overloaded (over 1,000 listen), aborted, closed
   */
  changes(options?: ChangesOptions): AsyncIterable<Change>;
  /**
   * Writes the moment of this call, or a later one, into another storage, while ingest and questions go on. That is then a store itself, which opens
   * and verifies as any other. A former backup there is kept as far as it is still right, and otherwise removed. Cost: one read and one write of
   * the files that are not there yet.
   * @throws invalid_parameter (there is something else), store_locked (it is open), overloaded, storage_full, corruption, closed
   */
  backup(storage: Storage): Promise<BackupReport>;
  /** What is stored, and how the store does. @throws closed */
  stats(): Promise<DaybookStats>;
  /** The organization's reporting currency, ISO 4217. */
  readonly currency: string;
  /** `ok`, or `read_only` after a failed sync, after another process took the store over, or on a read-only open. */
  readonly health: "ok" | "read_only" | "closed";
  /**
   * Moves the heads into segments now and merges small segments; both happen by themselves, at bounds and in quiet moments.
   * @throws read_only, storage_full, closed
   */
  seal(): Promise<void>;
  /** Waits for writes in flight, seals, and releases the lock. Whatever is asked afterwards fails with `closed`. @throws storage_full */
  close(): Promise<void>;
}
