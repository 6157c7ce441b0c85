import { DaybookError, shown } from "../../base/errors.js";
import type { Clock } from "../../base/clock.js";
import { LIMITS } from "../../base/limits.js";
import { isoOf } from "../../base/time.js";
import { nextTurn, Turns } from "../../base/turn.js";
import type { DecodedRecord, NamedProject } from "../../identity/decode-record.js";
import { DECODED_ROW_COUNT, type DecodeContext, type EventFault } from "../../schema/decode-event.js";
import type { EventRecord, IngestResult } from "../../schema/event.js";
import { PROJECT_COLUMN } from "../../schema/fields.js";
import { BatchBuilder, type Batch } from "../../store/batch/batch.js";
import type { Store } from "../../store/live/store.js";
import type { Suppression } from "./suppression.js";
import type { TimeToLiveRules } from "./time-to-live-rules.js";
import type { Allowance, Limit } from "./allowance.js";
import { EventEncoder } from "./encode-events.js";
import { RecordEncoder } from "./encode-records.js";
import { IngestGroup, rowCountOf, type RecordOutcome, type QueuedWrites, type WaitingEvents, type WaitingRecords } from "./group.js";
import { KnownIds } from "./known-ids.js";
import { Together } from "./together.js";

/** Rows after which a group is written, though more is queued: bounds the memory of one frame. */
const GROUP_ROW_COUNT = 20_000;
/** Rows that are worth a sync of their own, while what comes next is encoded. */
const WORTHY_ROW_COUNT = 512;

/** An act that needs a moment without a commit. */
interface Turn {
  readonly act: () => Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export interface IngestQueueOptions {
  readonly clock: Clock;
  readonly random: (bytes: Uint8Array) => void;
  /** Whether times more than five minutes ahead of the clock stay. */
  readonly keepsFuture: boolean;
  /** Asked for each ingest: an erasure replaces it. */
  readonly suppression: () => Suppression;
  /** Asked for each ingest: events past their time stay out. */
  readonly timeToLive: () => TimeToLiveRules;
  readonly onNotify: ((event: EventRecord) => unknown) | null;
  /** Hears of each group that is durable: its events, and whether it has records. */
  readonly onCommit: (batch: Batch, hasRecords: boolean) => void;
  /** Called after each group, while no commit is under way. */
  readonly afterCommit: () => Promise<void>;
}

/**
 * The one writer: takes all that waits, makes it one frame, one write and one sync, then answers all who waited. Nothing
 * lingers: an ingest that comes alone is written alone. While a group is being made durable the next one is encoded.
 */
export class IngestQueue {
  /** In order of arrival. */
  #queue: (QueuedWrites | Turn)[] = [];
  #waitingRowCount = 0;
  #isRunning = false;
  #knownIds: KnownIds | null = null;
  /** The one of the open group, and the one of the group that is being written. */
  #builders: readonly [BatchBuilder, BatchBuilder] = [new BatchBuilder(), new BatchBuilder()];
  #encoder: EventEncoder;
  #recordEncoder: RecordEncoder;
  /** Takes what comes next. */
  #open: IngestGroup | null = null;
  #written: IngestGroup | null = null;
  /** Ends, and never rejects, when that group is durable or has failed. */
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

  /** Forgets the last events that were encoded, and ids where most are gone: an erasure leaves no copy behind. All is sealed. */
  forget(): void {
    // Reading those that stay costs less than it took to store as many that are gone.
    if (this.#knownIds?.isMostlyGone === true) this.#knownIds = null;
    this.#builders = [new BatchBuilder(), new BatchBuilder()];
    this.#encoder = new EventEncoder(this.store.dictionaries);
  }

  /** The array may change once this returned, its events not. @throws invalid_parameter, overloaded, and what a commit throws */
  add(events: readonly unknown[], project: string | null, allowance: Allowance | null = null): Promise<IngestResult> {
    if (!Array.isArray(events))
      return Promise.reject(new DaybookError("invalid_parameter", `events: expected an array, got ${shown(events)}`, { param: "events" }));
    return new Promise((resolve, reject) => {
      this.#addRows(events.length);
      this.#enqueue({ events: events.slice(), project, allowance, resolve, reject });
    });
  }

  /** Stores a record; one of an id that is there already changes nothing. @throws suppressed, and what addRecords throws */
  async addRecord(record: DecodedRecord, limit: Limit | null = null): Promise<Exclude<RecordOutcome, DaybookError>> {
    const [outcome = "duplicate"] = await this.addRecords([record], () => record, limit);
    if (outcome instanceof DaybookError) throw outcome;
    return outcome;
  }

  /**
   * Stores records, and answers what became of each. The array may change once this returned, its records not. Others have turns meanwhile.
   * @throws overloaded, what `decode` throws that is no DaybookError, and what a commit throws
   */
  addRecords(records: readonly unknown[], decode: WaitingRecords["decode"], limit: Limit | null = null): Promise<readonly RecordOutcome[]> {
    return new Promise((resolve, reject) => {
      this.#addRows(records.length);
      this.#enqueue({ records: records.slice(), decode, limit, resolve, reject });
    });
  }

  /** @throws overloaded; what comes alone is taken, however much it is */
  #addRows(rowCount: number): void {
    if (this.#waitingRowCount + rowCount > LIMITS.queuedIngestRows && this.#waitingRowCount > 0)
      throw new DaybookError("overloaded", `${this.#waitingRowCount} events are waiting to be written`);
    this.#waitingRowCount += rowCount;
  }

  /** Runs `act` while no commit is under way: after all that waits now, before all that comes later. @throws what `act` throws */
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
    // A turn of the queue later, callers of the same tick have added theirs: they share the sync.
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

  /** Whether what waits goes into the open group, or a new one, before that is written. */
  #takes(waiting: QueuedWrites): boolean {
    if (this.#open?.isStale === true) return false;
    const rowCount = this.#open?.rowCount ?? 0;
    if (rowCount >= GROUP_ROW_COUNT || (rowCount >= WORTHY_ROW_COUNT && this.#written === null)) return false;
    if (this.#open === null && this.#written === null) return true;
    // What a failure takes back must not have moved, and records are not encoded twice.
    return this.#knownIds?.hasRoom(rowCountOf(waiting)) === true && (this.#written === null || !("records" in waiting));
  }

  async #take(waiting: QueuedWrites): Promise<void> {
    // File operations of the group before go on one step.
    if (this.#written !== null) await nextTurn();
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
    await this.#takeInto(group, alike, () => this.#encode(new Together(alike, (one) => group.outcomeOf(one)), waiting, group));
  }

  /** An ingest, and those right behind it that are encoded like it: many that bring one event each cost hardly more than one that brings all. */
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
      // Nothing of it was encoded: the others of the group go on.
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

  /** All that waits now, up to the next act, hears of the same failure. */
  #refuse(error: unknown): void {
    for (let next = this.#queue[0]; next !== undefined && !("act" in next); next = this.#queue[0]) {
      this.#queue.shift();
      this.#waitingRowCount -= rowCountOf(next);
      next.reject(error);
    }
  }

  /** Of what came to nothing neither ids nor values stay: an erasure would not find them. Nothing is being written. */
  #forgetUnkept(): void {
    this.#knownIds?.undo();
    this.store.forgetUnjournaled();
    this.#encoder = new EventEncoder(this.store.dictionaries);
    this.#recordEncoder = new RecordEncoder(this.store);
  }

  /** Begins to write a group once the one before is durable. */
  async #write(group: IngestGroup): Promise<void> {
    await this.#writing;
    this.#open = null;
    if (group.isStale) return this.#takeBack(group);
    this.#written = group;
    this.#writing = this.#commit(group);
  }

  /** What was encoded upon a group that failed is encoded anew: neither its codes nor the ids it knew are worth anything. */
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

  async #encode(together: Together, { project, allowance }: WaitingEvents, group: IngestGroup): Promise<void> {
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

  /** A hook that throws, or rejects, must not undo what is durable, nor keep the others from being called. */
  #notify(records: readonly EventRecord[]): void {
    const hook = this.options.onNotify;
    if (hook === null) return;
    for (const record of records) void new Promise((resolve) => resolve(hook(record))).catch(() => undefined);
  }
}

/** Checks records, some at a time: of each what it says, or what is wrong with it. @throws what `decode` throws that is no DaybookError */
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
