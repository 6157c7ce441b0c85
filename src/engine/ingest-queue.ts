import { DaybookError, shown } from "../base/errors.js";
import type { Clock } from "../base/clock.js";
import { LIMITS } from "../base/limits.js";
import type { DecodedRecord } from "../identity/decode-record.js";
import type { DecodeContext } from "../schema/decode-event.js";
import type { SuppressedKind, Suppression } from "./suppression.js";
import type { EventRecord, IngestResult, RejectedEvent } from "../schema/event.js";
import { BatchBuilder } from "../store/batch.js";
import type { Store } from "../store/store.js";
import { EventEncoder } from "./encode-events.js";
import { RecordEncoder } from "./encode-records.js";
import { KnownIds } from "./known-ids.js";

/** Rows after which a group is written, though more is queued: bounds the memory of one frame. */
const GROUP_ROW_COUNT = 20_000;

interface Waiting {
  readonly events: readonly unknown[];
  readonly project: string | null;
  readonly resolve: (result: IngestResult) => void;
  readonly reject: (error: unknown) => void;
}

/** A checked record of identify, group, alias or unlink. */
interface WaitingRecord {
  readonly record: DecodedRecord;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** An act that needs a moment without a commit. */
interface Turn {
  readonly act: () => Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface Outcome {
  accepted: number;
  duplicates: number;
  readonly rejected: RejectedEvent[];
}

export interface IngestQueueOptions {
  readonly clock: Clock;
  readonly random: (bytes: Uint8Array) => void;
  /** Asked for each group: an erasure replaces it. */
  readonly suppression: () => Suppression;
  readonly onNotify: ((event: EventRecord) => unknown) | null;
  /** Called after each group, while no commit is under way. */
  readonly afterCommit: () => Promise<void>;
}

/**
 * The one writer: takes all that waits, makes it one frame, one write and one sync, then answers all who waited. Nothing
 * lingers: an ingest that comes alone is written alone.
 */
export class IngestQueue {
  /** In order of arrival. */
  #queue: (Waiting | WaitingRecord | Turn)[] = [];
  #waitingRowCount = 0;
  #isRunning = false;
  #knownIds: KnownIds | null = null;
  #builder = new BatchBuilder();
  #encoder: EventEncoder;
  readonly #recordEncoder: RecordEncoder;

  constructor(
    readonly store: Store,
    readonly options: IngestQueueOptions,
  ) {
    this.#encoder = new EventEncoder(store.dictionaries);
    this.#recordEncoder = new RecordEncoder(store);
  }

  get byteLength(): number {
    return this.#knownIds?.byteLength ?? 0;
  }

  /** Forgets the last events that were encoded: an erasure leaves no copy behind. */
  forget(): void {
    this.#builder = new BatchBuilder();
    this.#encoder = new EventEncoder(this.store.dictionaries);
  }

  /** The array may change once this returned, its events not. @throws invalid_parameter, overloaded, and what a commit throws */
  add(events: readonly unknown[], project: string | null): Promise<IngestResult> {
    if (!Array.isArray(events))
      return Promise.reject(new DaybookError("invalid_parameter", `events: expected an array, got ${shown(events)}`, { param: "events" }));
    if (this.#waitingRowCount + events.length > LIMITS.queuedIngestRows && this.#waitingRowCount > 0)
      return Promise.reject(new DaybookError("overloaded", `${this.#waitingRowCount} events are waiting to be written`));
    return new Promise((resolve, reject) => {
      const own = events.slice();
      this.#waitingRowCount += own.length;
      this.#enqueue({ events: own, project, resolve, reject });
    });
  }

  /** Stores a record; one of an id that is there already changes nothing. @throws overloaded, and what a commit throws */
  addRecord(record: DecodedRecord): Promise<void> {
    if (this.#waitingRowCount + 1 > LIMITS.queuedIngestRows)
      return Promise.reject(new DaybookError("overloaded", `${this.#waitingRowCount} events are waiting to be written`));
    return new Promise((resolve, reject) => {
      this.#waitingRowCount += 1;
      this.#enqueue({ record, resolve, reject });
    });
  }

  /** Runs `act` while no commit is under way: after all that waits now, before all that comes later. @throws what `act` throws */
  exclusive(act: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#enqueue({ act, resolve, reject });
    });
  }

  #enqueue(entry: Waiting | WaitingRecord | Turn): void {
    this.#queue.push(entry);
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    // A turn of the queue later, callers of the same tick have added theirs: they share the sync.
    await Promise.resolve();
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      if (!("act" in next)) await this.#commitGroup(this.#takeGroup());
      else {
        this.#queue.shift();
        await next.act().then(next.resolve, next.reject);
      }
    }
    this.#isRunning = false;
  }

  #takeGroup(): (Waiting | WaitingRecord)[] {
    const group: (Waiting | WaitingRecord)[] = [];
    let rowCount = 0;
    for (const entry of this.#queue) {
      if ("act" in entry || rowCount >= GROUP_ROW_COUNT) break;
      group.push(entry);
      rowCount += "record" in entry ? 1 : entry.events.length;
    }
    this.#queue = this.#queue.slice(group.length);
    this.#waitingRowCount -= rowCount;
    return group;
  }

  async #commitGroup(group: readonly (Waiting | WaitingRecord)[]): Promise<void> {
    try {
      const outcomes = await this.#write(group);
      for (const waiting of group) {
        // One that was refused has been told so.
        if ("record" in waiting) waiting.resolve();
        else waiting.resolve(outcomes.get(waiting) ?? { accepted: 0, duplicates: 0, rejected: [] });
      }
    } catch (error) {
      this.#knownIds?.undo();
      for (const waiting of group) waiting.reject(error);
    }
  }

  async #write(group: readonly (Waiting | WaitingRecord)[]): Promise<Map<Waiting, Outcome>> {
    if (!this.store.isWritable) throw new DaybookError("read_only", "the store does not take writes");
    await this.store.settle();
    const known = await this.#ids();
    const eventCount = group.reduce((sum, waiting) => sum + ("record" in waiting ? 1 : waiting.events.length), 0);
    known.begin(eventCount);
    this.#encoder.begin(eventCount);
    this.#builder.clear();
    this.#recordEncoder.begin();
    const notified: EventRecord[] = [];
    const outcomes = new Map<Waiting, Outcome>();
    for (const waiting of group) {
      if ("record" in waiting) this.#appendRecord(waiting);
      else outcomes.set(waiting, await this.#encode(waiting, known, notified));
    }
    const batch = this.#builder.batch();
    const recordBatch = this.#recordEncoder.batch(batch);
    if (batch.rowCount > 0 || recordBatch !== null) await this.store.commit(batch, recordBatch);
    if (recordBatch !== null) this.#recordEncoder.keep();
    known.keep();
    this.#notify(notified);
    await this.options.afterCommit();
    return outcomes;
  }

  /** Checked here, behind every erasure that came before. */
  #appendRecord({ record, reject }: WaitingRecord): void {
    const { texts, createdAtMs } = record;
    const suppression = this.options.suppression();
    const covers = (kind: SuppressedKind, id: string) => suppression.covers(kind, id, createdAtMs);
    const isErased = covers("userId", texts.userId) || covers("userId", texts.fromUserId) || covers("anonymousId", texts.anonymousId);
    if (isErased || covers("email", texts.email)) reject(new DaybookError("suppressed", "the subject of this record was erased after it happened"));
    else this.#recordEncoder.append(record);
  }

  async #encode({ events, project }: Waiting, known: KnownIds, notified: EventRecord[]): Promise<Outcome> {
    const outcome: Outcome = { accepted: 0, duplicates: 0, rejected: [] };
    const encoder = this.#encoder;
    const { clock, random } = this.options;
    const suppression = this.options.suppression();
    const context: DecodeContext = { nowMs: clock.now(), project, random, known: encoder.fields, knownKeys: encoder.knownKeys };
    for (let index = 0; index < events.length; index += 1) {
      const fault = encoder.decode(events[index], context);
      if (fault !== null) {
        outcome.rejected.push({ index, code: fault.code, message: fault.message });
        continue;
      }
      if (!suppression.isEmpty && encoder.isSuppressed(suppression)) {
        outcome.rejected.push({ index, code: "suppressed", message: "the subject of this event was erased after it happened" });
        continue;
      }
      if (known.mayHave(encoder.id) && (await known.has(encoder.id, encoder.createdAtMs, this.#builder))) {
        outcome.duplicates += 1;
        continue;
      }
      known.add(encoder.id);
      encoder.append(this.#builder);
      outcome.accepted += 1;
      if (this.options.onNotify !== null) {
        const record = encoder.notifiedRecord();
        if (record !== null) notified.push(record);
      }
    }
    return outcome;
  }

  async #ids(): Promise<KnownIds> {
    if (this.#knownIds === null) {
      const seed = new Uint8Array(4);
      this.options.random(seed);
      this.#knownIds = await KnownIds.of(this.store, new DataView(seed.buffer).getInt32(0));
    }
    return this.#knownIds;
  }

  /** A hook that throws, or rejects, must not undo what is durable, nor keep the others from being called. */
  #notify(records: readonly EventRecord[]): void {
    const hook = this.options.onNotify;
    if (hook === null) return;
    for (const record of records) void new Promise((resolve) => resolve(hook(record))).catch(() => undefined);
  }
}
