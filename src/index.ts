export { DaybookError, ERROR_CODES } from "./core/base/errors.js";
export type { ErrorCode, ErrorDetails } from "./core/base/errors.js";
export { fixedClock, systemClock } from "./core/base/time.js";
export type { Clock } from "./core/base/time.js";
export { openDaybook } from "./engine/open-daybook.js";
export { toArrow } from "./engine/exports/to-arrow.js";
export type { DaybookOptions } from "./engine/options.js";
export type { IngestNotice, Notice } from "./engine/query/notices.js";
export type { QueryNotice, QueryOptions, ReportName } from "./query/queries.js";
export type { Damage, ScrubOptions, ScrubState } from "./engine/upkeep/scrub.js";
export type { ExportOptions, StopOptions } from "./core/base/options.js";
export type { QueryStats } from "./engine/query/scan.js";
export type { Daybook, ScopedDaybook } from "./engine/daybook.js";
export type { Scope } from "./query/plan/scope.js";
export type { IngestOptions, OnRejected, TrackOptions } from "./core/base/options.js";
export type { TrackQueueOptions } from "./core/schema/track-queue.js";
export type { Explanation } from "./engine/query/explain.js";
export type { SavedSegment, Segments } from "./engine/query/saved-segments.js";
export type { DaybookStats, DistinctValues, QuarantinedItem } from "./engine/upkeep/stats.js";
export type { ExportedEvent } from "./core/schema/event.js";
export type { ExportedDeletion } from "./engine/exports/deletions.js";
export type { DeleteEventsInput, DeletionReceipt } from "./engine/upkeep/deletions.js";
export type { SignScopeOptions, VerifiedScope } from "./engine/tokens/scope-tokens.js";
export type { TimeToLive, TimeToLivePreview, TimeToLiveRule } from "./engine/upkeep/time-to-live.js";
export type {
  ErasureReceipt,
  PrivacyRequest,
  PrivacyRequestInput,
  PrivacyRequests,
  PrivacyResolution,
  PrivacyStatus,
  PrivacySubject,
  PrivacyType,
  Regulation,
} from "./engine/privacy/requests.js";
export type { AliasInput, GroupInput, IdentifyInput, LinkResult, RecordInput, StoredRecord, UnlinkInput } from "./core/schema/record.js";
export type {
  CompanyTopUsers,
  DeviceGeo,
  IdentityDeviceGeo,
  IdentityProfile,
  IdentityReferrers,
  IdentitySessionsPage,
  LtvCohorts,
  RevenueByAttribution,
  SearchEventsPage,
  SessionItem,
  TopCompanies,
  UnconvertedItem,
} from "./query/plan/answers.js";
export type {
  AggregateInput,
  AggregateItem,
  BreakdownInput,
  CalendarUnit,
  CompanyTopUsersInput,
  Comparison,
  CountEventsInput,
  DateInput,
  EntityLevel,
  EventSelector,
  ExportArrowInput,
  ExportDeletionsInput,
  ExportInput,
  FilterGroupInput,
  FilterInput,
  FunnelExclusionInput,
  FunnelInput,
  FunnelStepInput,
  IdentityInput,
  IdentityReferrersInput,
  IdentitySessionsInput,
  InsightField,
  InsightInput,
  Interval,
  LifecycleInput,
  LtvCohortsInput,
  NumericMeasureType,
  PathsInput,
  PeopleSegment as Segment,
  PerDayInput,
  PerDayItem,
  Rates,
  RecordBatchesInput,
  RetentionInput,
  RevenueByAttributionInput,
  RevenueLevel,
  SearchEventsInput,
  SegmentCondition,
  SessionsOverviewInput,
  StickinessInput,
  TopCompaniesInput,
  TrendInput,
  TrendMeasure,
  UniqueUsersInput,
  UniqueUsersPerDayInput,
  WebOverviewInput,
  WeekDay,
} from "./query/plan/input.js";
export type {
  Bucket,
  Funnel,
  FunnelStep,
  FunnelTimes,
  Insight,
  Lifecycle,
  LifecycleBucket,
  PathEdge,
  PathNode,
  Paths,
  Retention,
  RetentionPeriod,
  SessionFigures,
  SessionPage,
  SessionsOverview,
  Stickiness,
  StickinessBucket,
  Trend,
  TrendAnswers,
  TrendSeries,
  WebFigures,
  WebOverview,
  WebVisits,
} from "./query/plan/insights/answers.js";
export type { FieldName } from "./query/plan/field-names.js";
export type { FilterOperator } from "./query/plan/filters/filter-groups.js";
export type { AdjustedEvent, EventInput, EventRecord, FoundEvent, IngestResult, RejectedEvent } from "./core/schema/event.js";
export type { FutureEvents } from "./core/schema/instant.js";
export { defineEvents } from "./typed/define-events.js";
export type { DaybookOf, EventCheck, EventDefinition } from "./typed/define-events.js";
export type { MetadataOf, StoredMetadataOf } from "./typed/define-events.js";
export type { EventFlaw, EventShape, EventShapes, ShapeResult } from "./core/schema/event-shape.js";
export type { TypedDaybook, TypedEvent, TypedMethods, TypedSegments } from "./typed/typed-daybook.js";
export type { Events, MetadataPath, Typed, TypedField, TypedFilter, TypedMeasure } from "./typed/typed-daybook.js";
export { memoryStorage } from "./store/storage/memory-storage.js";
export type { Allocate, AppendFile, ByteRange, Codec, HeldObject, Storage, StorageLock, WriteOptions } from "./store/storage/storage.js";
export type { BackupReport } from "./store/backup/backup-store.js";
export type { Durability } from "./store/journal/journals.js";
export type { Finding } from "./store/files/findings.js";
export { verifyStore } from "./store/open-store.js";
export type { VerifyReport } from "./store/verify/verify.js";
