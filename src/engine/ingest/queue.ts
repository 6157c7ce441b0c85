import { DaybookError, shown } from "../../core/base/errors.js";
import type { Clock } from "../../core/base/clock.js";
import { LIMITS } from "../../core/base/limits.js";
import { isoOf } from "../../core/base/time.js";
import { yieldToEventLoop, Turns } from "../../core/base/turn.js";
import type { DecodedRecord, NamedProject } from "../../identity/decode-record.js";
import { DECODED_ROW_COUNT, type DecodeContext, type EventFault } from "../../core/schema/decode-event.js";
import type { EventRecord, IngestResult } from "../../core/schema/event.js";
import { PROJECT_COLUMN } from "../../core/schema/fields.js";
import { BatchBuilder, type Batch } from "../../store/batch/batch.js";
import type { Store } from "../../store/live/store.js";
import type { Suppression, TimeToLiveRules } from "./suppression.js";
import type { Allowance, Limit } from "./allowance.js";
import { EventEncoder } from "./encode-events.js";
import { RecordEncoder } from "./encode-records.js";
import { IngestGroup, rowCountOf, IngestCoalescer, type RecordOutcome, type QueuedWrites, type WaitingEvents, type WaitingRecords } from "./group.js";
import { KnownIds } from "./known-ids.js";

/** Rows after which a group is written even if more is queued: bounds the memory of one frame. */
const GROUP_ROW_COUNT = 20_000;
/** Rows that justify a sync of their own, while the next ones are encoded. */
const WORTHY_ROW_COUNT = 512;

/** A task that must run while no commit is under way. */
interface Turn {
  readonly act: () => Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export interface IngestQueueOptions {
  readonly clock: Clock;
  readonly random: (bytes: Uint8Array) => void;
  /** Whether times more than five minutes ahead of the clock are kept. */
  readonly keepsFuture: boolean;
  /** Read for each ingest: an erasure replaces it. */
  readonly suppression: () => Suppression;
  /** Read for each ingest: expired events are rejected. */
  readonly timeToLive: () => TimeToLiveRules;
  readonly onNotify: ((event: EventRecord) => unknown) | null;
  /** Called for each durable group, with its events and whether it has records. */
  readonly onCommit: (batch: Batch, hasRecords: boolean) => void;
  /** Called after each group, while no commit is under way. */
  readonly afterCommit: () => Promise<void>;
}

/**
 * The single writer: writes everything queued as one frame, with one write and one sync, then resolves the callers. It does not wait for more: a lone
 * ingest is written at once. The next group is encoded while the previous one is written.
 */
export class IngestQueue {
  /** In order of arrival. */
  #queue: (QueuedWrites | Turn)[] = [];
  #waitingRowCount = 0;
  #isRunning = false;
  #knownIds: KnownIds | null = null;
  /** One for the open group, one for the group that is being written. */
  #builders: readonly [BatchBuilder, BatchBuilder] = [new BatchBuilder(), new BatchBuilder()];
  #encoder: EventEncoder;
  #recordEncoder: RecordEncoder;
  /** The group that the next writes join. */
  #open: IngestGroup | null = null;
  #written: IngestGroup | null = null;
  /** Resolves, and never rejects, when that group is durable or has failed. */
  #writing: Promise<void> = Promise.resolve();

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

  /** Drops the last encoded events, and the ids if most are no longer stored: an erasure leaves no copy. Requires that everything is sealed. */
  forget(): void {
    // Rereading the remaining ids costs less than storing the removed ones did.
    if (this.#knownIds?.isMostlyGone === true) this.#knownIds = null;
    this.#builders = [new BatchBuilder(), new BatchBuilder()];
    this.#encoder = new EventEncoder(this.store.dictionaries);
  }

  /** The array may change after the call returns, its events may not. @throws invalid_parameter, overloaded, and what a commit throws */
  add(events: readonly unknown[], project: string | null, allowance: Allowance | null = null): Promise<IngestResult> {
    if (!Array.isArray(events))
      return Promise.reject(new DaybookError("invalid_parameter", `events: expected an array, got ${shown(events)}`, { param: "events" }));
    return new Promise((resolve, reject) => {
      this.#addRows(events.length);
      this.#enqueue({ events: events.slice(), project, allowance, resolve, reject });
    });
  }

  /** Stores a record; a known id changes nothing. @throws suppressed, and what addRecords throws */
  async addRecord(record: DecodedRecord, limit: Limit | null = null): Promise<Exclude<RecordOutcome, DaybookError>> {
    const [outcome = "duplicate"] = await this.addRecords([record], () => record, limit);
    if (outcome instanceof DaybookError) throw outcome;
    return outcome;
  }

  /**
   * Stores records and returns the outcome of each. The array may change after the call returns, its records may not. Yields to other work meanwhile.
   * @throws overloaded, what `decode` throws other than DaybookError, and what a commit throws
   */
  addRecords(records: readonly unknown[], decode: WaitingRecords["decode"], limit: Limit | null = null): Promise<readonly RecordOutcome[]> {
    return new Promise((resolve, reject) => {
      this.#addRows(records.length);
      this.#enqueue({ records: records.slice(), decode, limit, resolve, reject });
    });
  }

  /** @throws overloaded; a lone write is accepted whatever its size */
  #addRows(rowCount: number): void {
    if (this.#waitingRowCount + rowCount > LIMITS.queuedIngestRows && this.#waitingRowCount > 0)
      throw new DaybookError("overloaded", `${this.#waitingRowCount} events are waiting to be written`);
    this.#waitingRowCount += rowCount;
  }

  /** Runs `act` while no commit is under way: after everything queued now, before everything queued later. @throws what `act` throws */
  exclusive(act: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#enqueue({ act, resolve, reject });
    });
  }

  #enqueue(entry: QueuedWrites | Turn): void {
    this.#queue.push(entry);
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    // Callers of the same tick have queued their writes by then: they share the sync.
    await Promise.resolve();
    for (;;) {
      const next = this.#queue[0];
      if (next !== undefined && !("act" in next) && this.#takes(next)) await this.#take(next);
      else if (this.#open !== null) await this.#write(this.#open);
      else if (this.#written !== null) await this.#writing;
      else if (next === undefined) break;
      else {
        this.#queue.shift();
        if ("act" in next) await next.act().then(next.resolve, next.reject);
      }
    }
    this.#isRunning = false;
  }

  /** Whether a queued write joins the open group, or a new one, before that is written. */
  #takes(waiting: QueuedWrites): boolean {
    if (this.#open?.isStale === true) return false;
    const rowCount = this.#open?.rowCount ?? 0;
    if (rowCount >= GROUP_ROW_COUNT || (rowCount >= WORTHY_ROW_COUNT && this.#written === null)) return false;
    if (this.#open === null && this.#written === null) return true;
    // Undoing a failure requires that the id table has not grown, and records are not encoded twice.
    return this.#knownIds?.hasRoom(rowCountOf(waiting)) === true && (this.#written === null || !("records" in waiting));
  }

  async #take(waiting: QueuedWrites): Promise<void> {
    // Lets the file operations of the previous group proceed.
    if (this.#written !== null) await yieldToEventLoop();
    try {
      this.#open ??= await this.#begin();
    } catch (error) {
      return this.#refuse(error);
    }
    const group = this.#open;
    if ("records" in waiting) {
      this.#leave([waiting]);
      return await this.#takeRecords(waiting, group);
    }
    const alike = this.#alike(waiting);
    this.#leave(alike);
    await this.#takeInto(group, alike, () => this.#encode(new IngestCoalescer(alike, (one) => group.outcomeOf(one)), waiting, group));
  }

  /** An ingest, and those queued right after it that are encoded alike: many of one event each cost hardly more than one of all events. */
  #alike(first: WaitingEvents): WaitingEvents[] {
    const alike = [first];
    let rowCount = first.events.length;
    for (let next = this.#queue[1]; next !== undefined && "events" in next; next = this.#queue[alike.length]) {
      rowCount += next.events.length;
      if (rowCount > DECODED_ROW_COUNT || this.#knownIds?.hasRoom(rowCount) !== true) break;
      if (next.project !== first.project || next.allowance?.keyCountMax !== first.allowance?.keyCountMax) break;
      alike.push(next);
    }
    return alike;
  }

  #leave(taken: readonly QueuedWrites[]): void {
    this.#queue.splice(0, taken.length);
    for (const one of taken) this.#waitingRowCount -= rowCountOf(one);
  }

  async #takeRecords(waiting: WaitingRecords, group: IngestGroup): Promise<void> {
    let decoded: readonly (DecodedRecord | NamedProject | DaybookError)[];
    try {
      decoded = await decodeInTurns(waiting);
    } catch (error) {
      // Nothing of it was encoded: the rest of the group goes on.
      return waiting.reject(error);
    }
    await this.#takeInto(group, [waiting], async () => {
      group.keepOutcomes(waiting, await this.#recordEncoder.addInTurns(decoded, this.options.suppression(), waiting.limit));
    });
  }

  async #takeInto(group: IngestGroup, taken: readonly QueuedWrites[], encode: () => Promise<void>): Promise<void> {
    for (const waiting of taken) group.add(waiting);
    try {
      await encode();
    } catch (error) {
      await this.#writing;
      this.#open = null;
      this.#forgetUnkept();
      group.reject(error);
    }
  }

  async #begin(): Promise<IngestGroup> {
    if (this.#written === null) {
      this.store.refuseUnwritable();
      (await this.#ids()).reserve(this.#waitingRowCount);
    }
    const [first, second] = this.#builders;
    return new IngestGroup(this.#written?.builder === first ? second : first, this.store.dictionaries.named(PROJECT_COLUMN));
  }

  /** Rejects everything queued before the next exclusive task. */
  #refuse(error: unknown): void {
    for (let next = this.#queue[0]; next !== undefined && !("act" in next); next = this.#queue[0]) {
      this.#queue.shift();
      this.#waitingRowCount -= rowCountOf(next);
      next.reject(error);
    }
  }

  /** Drops the ids and values of failed writes: an erasure would not find them. Requires that no write is under way. */
  #forgetUnkept(): void {
    this.#knownIds?.undo();
    this.store.forgetUnjournaled();
    this.#encoder = new EventEncoder(this.store.dictionaries);
    this.#recordEncoder = new RecordEncoder(this.store);
  }

  /** Starts to write a group once the previous one is written. */
  async #write(group: IngestGroup): Promise<void> {
    await this.#writing;
    this.#open = null;
    if (group.isStale) return this.#takeBack(group);
    this.#written = group;
    this.#writing = this.#commit(group);
  }

  /** Requeues a group that was encoded on top of a failed one: its codes, and the ids it relied on, are invalid. */
  #takeBack(group: IngestGroup): void {
    this.#forgetUnkept();
    this.#queue.unshift(...group.waiting);
    this.#waitingRowCount += group.rowCount;
  }

  /** Never rejects. */
  async #commit(group: IngestGroup): Promise<void> {
    try {
      const batch = group.builder.batch();
      const { bringsProject } = this.#recordEncoder;
      const recordBatch = this.#recordEncoder.take(batch);
      if (batch.rowCount > 0 || recordBatch !== null || bringsProject) await this.store.commit(batch, recordBatch);
      if (recordBatch !== null) this.#recordEncoder.keep();
      this.#knownIds?.keep(batch.rowCount);
      this.options.onCommit(batch, recordBatch !== null || bringsProject);
      this.#notify(group.notified);
      await this.options.afterCommit();
      group.resolve();
    } catch (error) {
      if (this.#open === null) this.#forgetUnkept();
      else this.#open.isStale = true;
      group.reject(error);
    }
    this.#written = null;
  }

  async #encode(together: IngestCoalescer, { project, allowance }: WaitingEvents, group: IngestGroup): Promise<void> {
    const { events } = together;
    const { clock, random, keepsFuture } = this.options;
    const encoder = this.#encoder;
    const known = this.#knownIds ?? (await this.#ids());
    const suppression = this.options.suppression();
    const timeToLive = this.options.timeToLive();
    const context: DecodeContext = { nowMs: clock.now(), keepsFuture, project, random, knownKeys: encoder.knownKeys };
    const { catalog } = this.store;
    const hasKey = catalog.columnCount < LIMITS.columnCount ? null : (day: number, key: number) => catalog.hasKey(day, key);
    encoder.begin(events.length, hasKey, allowance);
    for (let start = 0; start < events.length; ) {
      const rowCount = encoder.decode(events, start, context);
      known.look(encoder.ids, rowCount, (row) => encoder.projectOf(row));
      for (let row = 0; row < rowCount; row += 1) {
        const fault = encoder.faultOf(row, suppression) ?? this.#expiry(row, timeToLive, context.nowMs);
        if (fault !== null) together.reject(start + row, fault);
        else if (known.mayHave(row) && (await this.#isKnown(row, known, group))) together.of(start + row).duplicates += 1;
        else {
          together.of(start + row).accepted += 1;
          this.#accept(row, known, group, together.limit);
          if (encoder.isAdjusted(row)) together.adjust(start + row, isoOf(context.nowMs));
        }
      }
      encoder.flush(group.builder);
      start += rowCount;
    }
  }

  #expiry(row: number, timeToLive: TimeToLiveRules, nowMs: number): EventFault | null {
    return timeToLive.isEmpty ? null : timeToLive.faultOf(this.#encoder.projectOf(row), this.#encoder.timeOf(row), nowMs);
  }

  #isKnown(row: number, known: KnownIds, group: IngestGroup): Promise<boolean> {
    this.#encoder.flush(group.builder);
    const batches = this.#written === null ? [group.ids] : [this.#written.ids, group.ids];
    return known.has(this.#encoder.keyOf(row), this.#encoder.timeOf(row), batches);
  }

  #accept(row: number, known: KnownIds, group: IngestGroup, limit: Limit | null): void {
    this.#encoder.accept(row, group.builder, limit);
    known.add(row);
    if (this.options.onNotify === null) return;
    const record = this.#encoder.notifiedRecord(row);
    if (record !== null) group.notified.push(record);
  }

  async #ids(): Promise<KnownIds> {
    if (this.#knownIds === null) {
      const seed = new Uint8Array(4);
      this.options.random(seed);
      this.#knownIds = await KnownIds.of(this.store, new DataView(seed.buffer).getInt32(0));
    }
    return this.#knownIds;
  }

  /** A hook that throws or rejects must neither undo what is durable nor stop the other calls. */
  #notify(records: readonly EventRecord[]): void {
    const hook = this.options.onNotify;
    if (hook === null) return;
    for (const record of records) void new Promise((resolve) => resolve(hook(record))).catch(() => undefined);
  }
}

/** Decodes records in chunks: each becomes a record or its error. @throws what `decode` throws other than DaybookError */
async function decodeInTurns({ records, decode }: WaitingRecords): Promise<(DecodedRecord | NamedProject | DaybookError)[]> {
  const turns = new Turns();
  const decoded: (DecodedRecord | NamedProject | DaybookError)[] = [];
  for (const record of records) {
    const one = decodedOrFault(record, decode);
    decoded.push(one);
    await turns.took("texts" in one ? one.texts.traits.length : 0);
  }
  return decoded;
}

function decodedOrFault(record: unknown, decode: WaitingRecords["decode"]): DecodedRecord | NamedProject | DaybookError {
  try {
    return decode(record);
  } catch (error) {
    if (error instanceof DaybookError) return error;
    throw error;
  }
}
