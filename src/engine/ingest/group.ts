import type { DaybookError } from "../../base/errors.js";
import type { DecodedRecord, NamedProject } from "../../identity/decode-record.js";
import type { AdjustedEvent, EventRecord, IngestResult, RejectedEvent } from "../../schema/event.js";
import type { ProjectTexts } from "../../segment/segment.js";
import type { BatchBuilder } from "../../store/batch/batch.js";
import type { Allowance, Limit } from "./allowance.js";
import { BatchIds } from "./known-ids.js";

/** Events that wait for their commit. */
export interface WaitingEvents {
  readonly events: readonly unknown[];
  readonly project: string | null;
  /** What they may bring that is new; null: what the store holds. */
  readonly allowance: Allowance | null;
  readonly resolve: (result: IngestResult) => void;
  readonly reject: (error: unknown) => void;
}

/** What became of a record: stored, stored as of the time of receipt, there already, or refused with an error. */
export type RecordOutcome = "accepted" | "adjusted" | "duplicate" | DaybookError;

/** Records of identify, group, alias and unlink, and names of projects. */
export interface WaitingRecords {
  readonly records: readonly unknown[];
  /** Checks one of them. */
  readonly decode: (record: unknown) => DecodedRecord | NamedProject;
  readonly limit: Limit | null;
  /** Hears of each record in its place. */
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

/** What shares a frame and a sync: encoded, and not yet durable. */
export class IngestGroup {
  readonly waiting: QueuedWrites[] = [];
  /** Events to tell the application of, once they are durable. */
  readonly notified: EventRecord[] = [];
  /** Events and records that came, refused ones too. */
  rowCount = 0;
  /** The group before has failed: what was encoded upon it is worth nothing. */
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
