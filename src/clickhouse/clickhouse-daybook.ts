import type { Daybook } from "../engine/daybook.js";
import type { ReportName } from "../plan/plan.js";

/** Questions that are answered on ClickHouse: all. */
export type ClickHouseQuestion = ReportName;

/** What goes in and comes out as with an embedded Daybook. */
type EmbeddedMethods = "ingest" | "identify" | "group" | "alias" | "unlink" | "ingestRecords" | "createProject" | "exportEvents" | "exportRecords";

/** What takes events and people away, and says what there is. `timeToLive.sweep` has to be called: nothing sweeps by itself. */
type UpkeepMethods = "privacyRequests" | "timeToLive" | "deleteEvents" | "deleteProject" | "stats";

/**
 * An organization's events on ClickHouse: the same calls and answers as those of an embedded Daybook, as far as they are there. Beside its errors
 * there are `unreachable` where no server answers, and `not_supported` for what is not there, by whatever way it is called.
 */
export interface ClickHouseDaybook extends Pick<Daybook, ClickHouseQuestion | EmbeddedMethods | UpkeepMethods | "currency" | "segments">, AsyncDisposable {
  /** Names of all projects, by code point; `default` always is one. */
  projects(): Promise<readonly string[]>;
  /**
   * Whether every question can be answered: some server of each shard is there. Known within about a second by how statements end, and else by one
   * that is sent at most once a second; answered within a second or so.
   */
  health(): Promise<"ok" | "unreachable" | "closed">;
  /** Lets go of the connection; whatever is asked afterwards fails with `closed`. */
  close(): Promise<void>;
}
