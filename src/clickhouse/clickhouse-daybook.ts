import type { Daybook } from "../engine/daybook.js";
import type { ReportName } from "../query/plan/plan.js";

/** Queries available on ClickHouse: all of them. */
export type ClickHouseQuery = ReportName;

/** Same input and output as in an embedded Daybook. */
type EmbeddedMethods = "ingest" | "identify" | "group" | "alias" | "unlink" | "ingestRecords" | "createProject" | "exportEvents" | "exportRecords";

/** `timeToLive.sweep` has to be called: nothing sweeps automatically. */
type UpkeepMethods = "privacyRequests" | "timeToLive" | "deleteEvents" | "deleteProject" | "stats";

/**
 * An organization's events on ClickHouse: the calls and answers of an embedded Daybook, as far as they exist here. Adds the errors `unreachable`,
 * where no server answers, and `not_supported`, for any call that does not exist here.
 */
export interface ClickHouseDaybook extends Pick<Daybook, ClickHouseQuery | EmbeddedMethods | UpkeepMethods | "currency" | "segments">, AsyncDisposable {
  /** Names of all projects, by code point; always includes `default`. */
  projects(): Promise<readonly string[]>;
  /**
   * Whether every query can be answered: at least one server of each shard is up. Resolves within about a second.
   * Inferred from recent statements, or else from a probe that runs at most once a second.
   */
  health(): Promise<"ok" | "unreachable" | "closed">;
  /** Closes the connection; later calls fail with `closed`. */
  close(): Promise<void>;
}
