import type { EventInput, EventRecord, FoundEvent, IngestResult } from "../schema/event.js";
import type { AliasInput, GroupInput, IdentifyInput, LinkResult } from "../schema/record.js";
import type {
  CompanyTopUsers,
  IdentityDeviceGeo,
  IdentityProfile,
  IdentityReferrers,
  IdentitySessionsPage,
  LtvCohorts,
  RevenueByAttribution,
  TopCompanies,
} from "../plan/answers.js";
import type {
  AggregateInput,
  AggregateItem,
  CompanyTopUsersInput,
  CountEventsInput,
  DateInput,
  IdentityInput,
  IdentityReferrersInput,
  IdentitySessionsInput,
  LtvCohortsInput,
  PerDayInput,
  PerDayItem,
  RevenueByAttributionInput,
  SearchEventsInput,
  TopCompaniesInput,
  UniqueUsersInput,
  UniqueUsersPerDayInput,
} from "../plan/input.js";
import type { ReportName } from "../plan/plan.js";
import type { Notice } from "./notices.js";
import type { PrivacyRequests } from "./privacy-requests.js";
import type { ScrubState } from "./scrub.js";

export interface QueryOptions {
  /**
   * Stops the query with `aborted`. With a signal a long query lets others have a turn every few milliseconds, without one it
   * does not. It is asked and never listened to, so anything that can tell whether it is aborted will do.
   */
  readonly signal?: Pick<AbortSignal, "aborted">;
  /** Called for this question as `onNotice` of `openDaybook` is, which is called too. */
  readonly onNotice?: (notice: Notice) => unknown;
}

export interface IngestOptions {
  /** The only project these events may belong to, and the one of those that name none. */
  readonly project?: string;
}

export interface SearchEventsPage<E extends EventRecord = FoundEvent> {
  /** For the next page; null on the last one. */
  readonly cursor: string | null;
  readonly events: readonly E[];
}

/** Every stored field of one event: what `export` writes and `ingest` takes back. Not-set fields are left out. */
export type ExportedEvent = EventInput & { readonly id: string; readonly createdAt: string };

export interface ExportInput {
  readonly project?: string | null;
  readonly startDate?: DateInput | null;
  readonly endDate?: DateInput | null;
}

export interface DaybookStats {
  /** `read_only` after a failed sync, after another process took the store over, or on a read-only open. */
  readonly health: "ok" | "read_only" | "closed";
  /** Why the last seal, or merging of segments, behind the back of ingest failed; null when it went well. Nothing is lost meanwhile. */
  readonly sealError: string | null;
  readonly eventCount: number;
  readonly dayCount: number;
  readonly segmentCount: number;
  /** Rows not yet sealed into segments. */
  readonly headRowCount: number;
  readonly firstDay: string | null;
  readonly lastDay: string | null;
  readonly projects: readonly string[];
  /** Bytes of all stored files the manifest and journals name. */
  readonly storedByteLength: number;
  /** Estimate of the bytes held in memory by columns, dictionaries and derived structures. */
  readonly memoryByteLength: number;
  /** Damaged files that were moved aside, ever, and the events that went with them: no answer has these. */
  readonly quarantine: readonly QuarantinedItem[];
  /** What the scrub found so far; null where there is none. */
  readonly scrub: ScrubState | null;
}

/** A damaged file that was moved aside; see `onCorruption`. */
export interface QuarantinedItem {
  /** Where it was. Its bytes, if there were any, are kept under `quarantine/` and this key. */
  readonly key: string;
  readonly byteLength: number;
  readonly reason: string;
  /** Events that went with it; day null: of unknown days, records among them. */
  readonly lost: readonly { readonly day: string | null; readonly eventCount: number }[];
}

/** Which segments, columns and rows a plan would touch, and how: decided from metadata and from what earlier questions left. */
export interface Explanation {
  readonly report: ReportName;
  readonly plan: unknown;
  readonly segments: readonly {
    readonly day: string;
    readonly rowCount: number;
    readonly sealed: boolean;
    /**
     * How rows are found: their part of the answer is known (`kept`), no row is tested (`all`), an edge of the day (`range`),
     * lists of the rows of few values (`postings`), a bit per row and value (`bitmaps`), a test of codes (`scan`); or nothing
     * can match (`pruned`).
     */
    readonly access: "kept" | "all" | "range" | "postings" | "bitmaps" | "scan" | "pruned";
  }[];
  readonly columns: readonly string[];
  readonly rowCount: number;
  readonly dictionaryValueCount: number;
  /** Names that are no field, and no metadata key of any stored event: a sentence each. */
  readonly notices: readonly string[];
}

/** One organization's events and every question about them. Close it when done; `await using` does. */
export interface Daybook extends AsyncDisposable {
  /**
   * Stores a batch; resolves when it is durable. A bad event never fails the others: it comes back in `rejected`.
   * @throws overloaded, read_only, storage_full, store_locked (another process took the store over), closed, invalid_parameter (events is not an array)
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
  countEvents(input?: CountEventsInput, options?: QueryOptions): Promise<number>;
  countEventsPerDay(input?: PerDayInput, options?: QueryOptions): Promise<readonly PerDayItem[]>;
  countEventsRunningTotalPerDay(input?: PerDayInput, options?: QueryOptions): Promise<readonly PerDayItem[]>;
  countUniqueUsers(input?: UniqueUsersInput, options?: QueryOptions): Promise<number>;
  countUniqueUsersPerDay(input?: UniqueUsersPerDayInput, options?: QueryOptions): Promise<readonly PerDayItem[]>;
  aggregate(input: AggregateInput, options?: QueryOptions): Promise<readonly AggregateItem[]>;
  /** Newest first, a page at a time. With `allFields: false` events are records alone, which costs some µs less each. */
  searchEvents(input: SearchEventsInput & { readonly allFields: false }, options?: QueryOptions): Promise<SearchEventsPage<EventRecord>>;
  searchEvents(input?: SearchEventsInput, options?: QueryOptions): Promise<SearchEventsPage>;
  /** @throws identity_not_found, exactly_one_required, as do the three below */
  identitySessions(input: IdentitySessionsInput, options?: QueryOptions): Promise<IdentitySessionsPage>;
  identityProfile(input: IdentityInput, options?: QueryOptions): Promise<IdentityProfile>;
  identityReferrers(input: IdentityReferrersInput, options?: QueryOptions): Promise<IdentityReferrers>;
  identityDeviceGeo(input: IdentityInput, options?: QueryOptions): Promise<IdentityDeviceGeo>;
  /** @throws project_not_found */
  revenueByAttribution(input: RevenueByAttributionInput, options?: QueryOptions): Promise<RevenueByAttribution>;
  /** @throws project_not_found */
  ltvCohorts(input: LtvCohortsInput, options?: QueryOptions): Promise<LtvCohorts>;
  topCompanies(input?: TopCompaniesInput, options?: QueryOptions): Promise<TopCompanies>;
  /** @throws company_not_found */
  companyTopUsers(input: CompanyTopUsersInput, options?: QueryOptions): Promise<CompanyTopUsers>;
  readonly privacyRequests: PrivacyRequests;
  /** What answering would touch, without touching it. `report` is the method's name. */
  explain(report: ReportName, input?: object): Promise<Explanation>;
  /** Every stored event in (createdAt, id) order. */
  exportEvents(input?: ExportInput): AsyncIterable<ExportedEvent>;
  /** The same events as an Arrow IPC stream, or file, that other tools open: `import --format arrow` takes it back. */
  exportArrow(input?: ExportInput, format?: "stream" | "file"): AsyncIterable<Uint8Array>;
  /** Makes a project exist before its first event. */
  createProject(name: string): Promise<void>;
  /** Names of all projects, by code point; `default`, the project of events that name none, always is one. */
  projects(): readonly string[];
  stats(): Promise<DaybookStats>;
  /** The organization's reporting currency, ISO 4217. */
  readonly currency: string;
  /** `ok`, or `read_only` after a failed sync, after another process took the store over, or on a read-only open. */
  readonly health: "ok" | "read_only" | "closed";
  /** Moves the heads into segments now and merges small segments; both happen by themselves, at bounds and in quiet moments. @throws read_only, storage_full, closed */
  seal(): Promise<void>;
  /** Waits for writes in flight, seals, and releases the lock. */
  close(): Promise<void>;
}
