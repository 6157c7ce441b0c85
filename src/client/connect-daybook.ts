import type { Daybook } from "../engine/daybook.js";
import type { IngestOptions } from "../core/base/options.js";
import type { EventInput, IngestResult } from "../core/schema/event.js";
import { thisMachine, checkClientOptions, type ClientOptions } from "./options.js";
import { RemoteDaybook } from "./remote-daybook.js";

/** Members that only the process with the open store has: files, threads, synchronous state, and deletion of the events of a key. */
type Local = "exportArrow" | "exportParquet" | "recordBatches" | "backup" | "deleteEventsOfKey" | "changes" | "seal" | "health" | "currency" | "projects";

/**
 * A Daybook in another process: the same queries, answers and errors, each over HTTP. A write is stored once, however often it was sent.
 * Additional errors are those of tokens, `unreachable` if no Daybook answers, and `closed`.
 */
export interface DaybookClient extends Omit<Daybook, Local | "close"> {
  /**
   * As `ingest` of a Daybook, in chunks of a million characters. If an answer was lost and the events were resent, those already stored are
   * counted as `duplicates`, even if they are new: `accepted` may be 0 although all are stored.
   * @throws as it does; unreachable, and errors of tokens
   */
  ingest(events: readonly EventInput[], options?: IngestOptions): Promise<IngestResult>;
  /** Names of all projects that the token may read, by code point. */
  projects(): Promise<readonly string[]>;
  /** `ok` while every organization of the server reads and writes. Requires no rights. */
  health(): Promise<"ok" | "read_only" | "unreachable" | "closed">;
  /** Ends all calls under way with `closed`; the server keeps running. */
  close(): Promise<void>;
}

/**
 * Connects to a Daybook that another process has open, over HTTP. Sends nothing yet: an unreachable server fails the first query.
 * @throws invalid_parameter, unknown_parameter
 */
export function connectDaybook(options: ClientOptions): DaybookClient {
  return new RemoteDaybook(checkClientOptions(options), thisMachine);
}
