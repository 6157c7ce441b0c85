import type { DaybookError } from "../../core/base/errors.js";
import type { DecodedRecord, NamedProject } from "../../identity/decode-record.js";
import type { AdjustedEvent, EventRecord, IngestResult, RejectedEvent } from "../../core/schema/event.js";
import type { ProjectTexts } from "../../storage/segment/segment.js";
import type { BatchBuilder } from "../../store/batch/batch.js";
import type { Allowance, Limit } from "./allowance.js";
import { BatchIds } from "./known-ids.js";
import type { EventFault } from "../../core/schema/decode-event.js";

/** Events that wait for their commit. */
export interface WaitingEvents {
  readonly events: readonly unknown[];
  readonly project: string | null;
  /** Limits on new values; null: only the bounds of the store. */
  readonly allowance: Allowance | null;
  readonly resolve: (result: IngestResult) => void;
  readonly reject: (error: unknown) => void;
}

/** The outcome of a record: stored, stored as of the time of receipt, stored already, or rejected with an error. */
export type RecordOutcome = "accepted" | "adjusted" | "duplicate" | DaybookError;

/** Records of identify, group, alias and unlink, and names of projects, that wait for their commit. */
export interface WaitingRecords {
  readonly records: readonly unknown[];
  /** Validates one of them. */
  readonly decode: (record: unknown) => DecodedRecord | NamedProject;
  readonly limit: Limit | null;
  /** Called with the outcomes, in the order of the records. */
  readonly resolve: (outcomes: readonly RecordOutcome[]) => void;
  readonly reject: (error: unknown) => void;
}

export type QueuedWrites = WaitingEvents | WaitingRecords;

export function rowCountOf(waiting: QueuedWrites): number {
  return "records" in waiting ? waiting.records.length : waiting.events.length;
}

export interface IngestOutcome {
  accepted: number;
  duplicates: number;
  readonly rejected: RejectedEvent[];
  readonly adjusted: AdjustedEvent[];
}

function noOutcome(): IngestOutcome {
  return { accepted: 0, duplicates: 0, rejected: [], adjusted: [] };
}

/** Writes that share a frame and a sync: encoded, and not yet durable. */
export class IngestGroup {
  readonly waiting: QueuedWrites[] = [];
  /** Events to report to the application once they are durable. */
  readonly notified: EventRecord[] = [];
  /** Events and records, rejected ones included. */
  rowCount = 0;
  /** The previous group has failed: what was encoded on top of it is invalid. */
  isStale = false;
  readonly ids: BatchIds;
  readonly #outcomes = new Map<WaitingEvents, IngestOutcome>();
  readonly #recordOutcomes = new Map<WaitingRecords, readonly RecordOutcome[]>();

  constructor(
    readonly builder: BatchBuilder,
    projects: ProjectTexts,
  ) {
    builder.clear();
    this.ids = new BatchIds(builder, projects);
  }

  add(waiting: QueuedWrites): void {
    this.waiting.push(waiting);
    this.rowCount += rowCountOf(waiting);
  }

  outcomeOf(waiting: WaitingEvents): IngestOutcome {
    const outcome = noOutcome();
    this.#outcomes.set(waiting, outcome);
    return outcome;
  }

  keepOutcomes(waiting: WaitingRecords, outcomes: readonly RecordOutcome[]): void {
    this.#recordOutcomes.set(waiting, outcomes);
  }

  resolve(): void {
    for (const waiting of this.waiting) {
      if ("records" in waiting) waiting.resolve(this.#recordOutcomes.get(waiting) ?? []);
      else waiting.resolve(this.#outcomes.get(waiting) ?? noOutcome());
    }
  }

  reject(error: unknown): void {
    for (const waiting of this.waiting) waiting.reject(error);
  }
}

/** Several ingests encoded as one: events are visited in order, and each counts for the ingest that contains it. */
export class IngestCoalescer {
  readonly events: unknown[] = [];
  /** The limit of the current ingest. */
  limit: Limit | null = null;
  #outcome: IngestOutcome | undefined;
  #taken = 0;
  /** Range of the current ingest's events. */
  #start = 0;
  #end = 0;

  constructor(
    readonly waiting: readonly WaitingEvents[],
    readonly outcomeOf: (waiting: WaitingEvents) => IngestOutcome,
  ) {
    for (const { events } of waiting) for (let at = 0; at < events.length; at += 1) this.events.push(events[at]);
  }

  /** The outcome of the ingest that contains an event. Indexes must not decrease. */
  of(index: number): IngestOutcome {
    for (let next = this.waiting[this.#taken]; next !== undefined && index >= this.#end; next = this.waiting[this.#taken]) {
      this.#taken += 1;
      this.#outcome = this.outcomeOf(next);
      this.limit = next.allowance?.limit ?? null;
      this.#start = this.#end;
      this.#end += next.events.length;
    }
    // Callers pass the index of an existing event.
    return this.#outcome as IngestOutcome;
  }

  reject(index: number, { code, message }: EventFault): void {
    this.of(index).rejected.push({ index: index - this.#start, code, message });
  }

  /** Records that an accepted event is stored with another time than its own. */
  adjust(index: number, createdAt: string): void {
    this.of(index).adjusted.push({ index: index - this.#start, createdAt });
  }
}
