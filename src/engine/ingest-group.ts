import type { DecodedRecord } from "../identity/decode-record.js";
import type { EventRecord, IngestResult, RejectedEvent } from "../schema/event.js";
import type { BatchBuilder } from "../store/batch.js";
import { BatchIds } from "./known-ids.js";

/** Events that wait for their commit. */
export interface WaitingEvents {
  readonly events: readonly unknown[];
  readonly project: string | null;
  readonly resolve: (result: IngestResult) => void;
  readonly reject: (error: unknown) => void;
}

/** A checked record of identify, group, alias or unlink. */
export interface WaitingRecord {
  readonly record: DecodedRecord;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export type Waiting = WaitingEvents | WaitingRecord;

export function rowCountOf(waiting: Waiting): number {
  return "record" in waiting ? 1 : waiting.events.length;
}

export interface Outcome {
  accepted: number;
  duplicates: number;
  readonly rejected: RejectedEvent[];
}

/** What shares a frame and a sync: encoded, and not yet durable. */
export class IngestGroup {
  readonly waiting: Waiting[] = [];
  /** Events to tell the application of, once they are durable. */
  readonly notified: EventRecord[] = [];
  /** Events and records that came, refused ones too. */
  rowCount = 0;
  /** The group before has failed: what was encoded upon it is worth nothing. */
  isStale = false;
  readonly ids: BatchIds;
  readonly #outcomes = new Map<WaitingEvents, Outcome>();

  constructor(readonly builder: BatchBuilder) {
    builder.clear();
    this.ids = new BatchIds(builder);
  }

  add(waiting: Waiting): void {
    this.waiting.push(waiting);
    this.rowCount += rowCountOf(waiting);
  }

  outcomeOf(waiting: WaitingEvents): Outcome {
    const outcome = { accepted: 0, duplicates: 0, rejected: [] };
    this.#outcomes.set(waiting, outcome);
    return outcome;
  }

  resolve(): void {
    for (const waiting of this.waiting) {
      // A record that was refused has been told so.
      if ("record" in waiting) waiting.resolve();
      else waiting.resolve(this.#outcomes.get(waiting) ?? { accepted: 0, duplicates: 0, rejected: [] });
    }
  }

  reject(error: unknown): void {
    for (const waiting of this.waiting) waiting.reject(error);
  }
}
