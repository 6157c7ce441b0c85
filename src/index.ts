export { DaybookError, ERROR_CODES } from "./base/errors.js";
export type { ErrorCode, ErrorDetails } from "./base/errors.js";
export { fixedClock, systemClock } from "./base/clock.js";
export type { Clock } from "./base/clock.js";
export { openDaybook } from "./engine/open-daybook.js";
export type { DaybookOptions } from "./engine/options.js";
export type { Work } from "./engine/executor.js";
export type {
  Daybook,
  DaybookStats,
  ExportedEvent,
  ExportInput,
  Explanation,
  IngestOptions,
  QueryOptions,
  SearchEventsPage,
} from "./engine/daybook.js";
export type {
  AggregateInput,
  AggregateItem,
  CountEventsInput,
  DateInput,
  FilterGroupInput,
  FilterInput,
  PerDayInput,
  PerDayItem,
  SearchEventsInput,
  UniqueUsersInput,
  UniqueUsersPerDayInput,
} from "./plan/input.js";
export type { ReportName } from "./plan/plan.js";
export type { EventInput, EventRecord, IngestResult, RejectedEvent } from "./schema/event.js";
export { memoryStorage } from "./store/memory-storage.js";
export type { AppendFile, ByteRange, Codec, Storage, StorageLock, WriteOptions } from "./store/storage.js";
export type { Durability } from "./store/store.js";
