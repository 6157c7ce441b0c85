import type { Daybook } from "../engine/daybook.js";
import type { IngestOptions } from "../base/call-options.js";
import type { EventInput, IngestResult } from "../schema/event.js";

/** What only the process has that opened the store: files, threads, what is known without asking, and what undoes a flood. */
type Local = "exportArrow" | "exportParquet" | "recordBatches" | "backup" | "deleteEventsOfKey" | "changes" | "seal" | "health" | "currency" | "projects";

/**
 * A Daybook in another process: the same questions, answers and errors, each over HTTP. Writes are stored once however often they had to be
 * sent. Beside the errors of a Daybook there are those of tokens, `unreachable` where no Daybook answers, and `closed`.
 */
export interface DaybookClient extends Omit<Daybook, Local | "close"> {
  /**
   * As `ingest` of a Daybook, in pieces of a million characters. Where an answer was lost and the events sent again, those that were stored
   * already come back as `duplicates`, new ones too: `accepted` may be 0, and all are stored. @throws as it does; unreachable, and what tokens meet
   */
  ingest(events: readonly EventInput[], options?: IngestOptions): Promise<IngestResult>;
  /** Names of all projects that the token sees, by code point. */
  projects(): Promise<readonly string[]>;
  /** `ok` while every organization of the server reads and writes. Takes no right. */
  health(): Promise<"ok" | "read_only" | "unreachable" | "closed">;
  /** Ends what is under way with `closed`; the server goes on. */
  close(): Promise<void>;
}
