import { notifyEach } from "../../core/base/promises.js";
import { type Clock, isoOf } from "../../core/base/time.js";
import { DaybookError, shown, parameterError } from "../../core/base/errors.js";
import { LIMITS } from "../../core/base/limits.js";
import { yieldToEventLoop, Yielder } from "../../core/base/yield.js";
import { type EventFault, DECODED_ROW_COUNT, type DecodeContext } from "../../core/schema/decode-event.js";
import type { AdjustedEvent, EventRecord, IngestResult, RejectedEvent } from "../../core/schema/event.js";
import { type DecodedRecord, type NamedProject, decodeRecord, type RecordContext } from "../../identity/decode-record.js";
import { PROJECT_COLUMN } from "../../core/schema/fields.js";
import type { ProjectTexts } from "../../storage/segment/segment.js";
import { BatchBuilder, type Batch } from "../../store/batch/batch.js";
import type { Store } from "../../store/live/store.js";
import type { Allowance, Limit } from "./allowed-options.js";
import { EventEncoder } from "./encode-events.js";
import { type RecordOutcome, RecordEncoder } from "./encode-records.js";
import { BatchIds, KnownIds } from "./known-ids.js";
import type { Suppression, TimeToLiveRules } from "./suppression.js";

interface QueuedEvents {
  readonly kind: "events";
  readonly events: readonly unknown[];
  readonly project: string | null;
  /** Limits on new values; null: only the bounds of the store. */
  readonly allowance: Allowance | null;
  readonly resolve: (result: IngestResult) => void;
  readonly reject: (error: unknown) => void;
}

/** Records of identify, group, alias and unlink, and names of projects. */
interface QueuedRecords {
  readonly kind: "records";
  readonly records: readonly unknown[];
  readonly decode: (record: unknown) => DecodedRecord | NamedProject;
  readonly limit: Limit | null;
  /** In the order of the records. */
  readonly resolve: (outcomes: readonly RecordOutcome[]) => void;
  readonly reject: (error: unknown) => void;
}

type IngestWrite = QueuedEvents | QueuedRecords;

/** A task that must run while no commit is under way. */
interface ExclusiveTask {
  readonly kind: "task";
  readonly run: () => Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

function rowCountOf(write: IngestWrite): number {
  return (write.kind === "records" ? write.records : write.events).length;
}

interface IngestOutcome {
  accepted: number;
  duplicates: number;
  readonly rejected: RejectedEvent[];
  readonly adjusted: AdjustedEvent[];
}

function noOutcome(): IngestOutcome {
  return { accepted: 0, duplicates: 0, rejected: [], adjusted: [] };
}

/** Writes that share a frame and a sync: encoded, and not yet durable. */
class IngestGroup {
  readonly writes: IngestWrite[] = [];
  /** To report to the application once they are durable. */
  readonly notified: EventRecord[] = [];
  /** Rejected rows included. */
  rowCount = 0;
  /** The previous group failed, so the codes and ids of this one are invalid. */
  isStale = false;
  readonly ids: BatchIds;
  readonly #outcomes = new Map<QueuedEvents, IngestOutcome>();
  readonly #recordOutcomes = new Map<QueuedRecords, readonly RecordOutcome[]>();

  constructor(
    readonly builder: BatchBuilder,
    projects: ProjectTexts,
  ) {
    builder.clear();
    this.ids = new BatchIds(builder, projects);
  }

  add(write: IngestWrite): void {
    this.writes.push(write);
    this.rowCount += rowCountOf(write);
  }

  outcomeOf(write: QueuedEvents): IngestOutcome {
    const outcome = noOutcome();
    this.#outcomes.set(write, outcome);
    return outcome;
  }

  setOutcomes(write: QueuedRecords, outcomes: readonly RecordOutcome[]): void {
    this.#recordOutcomes.set(write, outcomes);
  }

  resolve(): void {
    for (const write of this.writes) {
      if (write.kind === "records") write.resolve(this.#recordOutcomes.get(write) ?? []);
      else write.resolve(this.#outcomes.get(write) ?? noOutcome());
    }
  }

  reject(error: unknown): void {
    for (const write of this.writes) write.reject(error);
  }
}

/** Encodes several ingests as one, and counts each event for the ingest that contains it. */
class IngestCoalescer {
  readonly events: unknown[] = [];
  limit: Limit | null = null;
  #outcome: IngestOutcome | undefined;
  #begunCount = 0;
  #start = 0;
  #end = 0;

  constructor(
    readonly writes: readonly QueuedEvents[],
    readonly outcomeOf: (write: QueuedEvents) => IngestOutcome,
  ) {
    for (const { events } of writes) for (let at = 0; at < events.length; at += 1) this.events.push(events[at]);
  }

  /** Moves to the ingest that contains an event; returns its outcome, and `limit` is its own. Indexes must not decrease. */
  advanceTo(index: number): IngestOutcome {
    for (let next = this.writes[this.#begunCount]; next !== undefined && index >= this.#end; next = this.writes[this.#begunCount]) {
      this.#begunCount += 1;
      this.#outcome = this.outcomeOf(next);
      this.limit = next.allowance?.limit ?? null;
      this.#start = this.#end;
      this.#end += next.events.length;
    }
    // Callers pass the index of an existing event.
    return this.#outcome as IngestOutcome;
  }

  reject(index: number, { code, message }: EventFault): void {
    this.advanceTo(index).rejected.push({ index: index - this.#start, code, message });
  }

  adjust(index: number, createdAt: string): void {
    this.advanceTo(index).adjusted.push({ index: index - this.#start, createdAt });
  }
}

/** Rows after which a group is written even if more is queued: bounds the memory of one frame. */
const GROUP_ROWS_MAX = 20_000;
/** While no commit runs, a group of at least this many rows is committed at once; the rest of the queue is encoded during its sync. */
const EAGER_COMMIT_ROWS = 512;

interface IngestQueueOptions {
  readonly clock: Clock;
  readonly random: (bytes: Uint8Array) => void;
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

/** The single writer of a store: one frame and one sync for all that is queued. Encodes the next group while the previous one is committed. */
export class IngestQueue {
  #queue: (IngestWrite | ExclusiveTask)[] = [];
  #queuedRowCount = 0;
  #isRunning = false;
  #knownIds: KnownIds | null = null;
  /** One for the open group, one for the group that is being committed. */
  #builders: readonly [BatchBuilder, BatchBuilder] = [new BatchBuilder(), new BatchBuilder()];
  #encoder: EventEncoder;
  #recordEncoder: RecordEncoder;
  #openGroup: IngestGroup | null = null;
  #committingGroup: IngestGroup | null = null;
  /** Resolves, and never rejects, when that group is durable or has failed. */
  #committing: Promise<void> = Promise.resolve();

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

  /** Drops copies of encoded events, so that an erasure leaves none, and the id table if most ids are no longer stored. Seal everything first. */
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
      this.#enqueue({ kind: "events", events: events.slice(), project, allowance, resolve, reject });
    });
  }

  /** Stores a record; a known id changes nothing. @throws suppressed, and what addRecords throws */
  async addRecord(record: DecodedRecord, limit: Limit | null = null): Promise<Exclude<RecordOutcome, DaybookError>> {
    const [outcome = "duplicate"] = await this.addRecords([record], () => record, limit);
    if (outcome instanceof DaybookError) throw outcome;
    return outcome;
  }

  /** The array may change after the call returns, its records may not. Yields. @throws overloaded, other errors of `decode`, those of a commit */
  addRecords(records: readonly unknown[], decode: QueuedRecords["decode"], limit: Limit | null = null): Promise<readonly RecordOutcome[]> {
    return new Promise((resolve, reject) => {
      this.#addRows(records.length);
      this.#enqueue({ kind: "records", records: records.slice(), decode, limit, resolve, reject });
    });
  }

  /** @throws overloaded; a lone write is accepted whatever its size */
  #addRows(rowCount: number): void {
    if (this.#queuedRowCount + rowCount > LIMITS.queuedIngestRows && this.#queuedRowCount > 0)
      throw new DaybookError("overloaded", `${this.#queuedRowCount} events are waiting to be written`);
    this.#queuedRowCount += rowCount;
  }

  /** Runs a task while no commit is under way: after everything queued now, before everything queued later. @throws what `run` throws */
  exclusive(run: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#enqueue({ kind: "task", run, resolve, reject });
    });
  }

  #enqueue(entry: IngestWrite | ExclusiveTask): void {
    this.#queue.push(entry);
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    // Callers of the same tick have queued their writes by then: they share the sync.
    await Promise.resolve();
    for (;;) {
      const next = this.#queue[0];
      if (next !== undefined && next.kind !== "task" && this.#canJoin(next)) await this.#encodeNext(next);
      else if (this.#openGroup !== null) await this.#startCommit(this.#openGroup);
      else if (this.#committingGroup !== null) await this.#committing;
      else if (next?.kind === "task") await this.#runTask(next);
      else break;
    }
    this.#isRunning = false;
  }

  async #runTask({ run, resolve, reject }: ExclusiveTask): Promise<void> {
    this.#queue.shift();
    await run().then(resolve, reject);
  }

  #canJoin(write: IngestWrite): boolean {
    if (this.#openGroup?.isStale === true) return false;
    const rowCount = this.#openGroup?.rowCount ?? 0;
    if (rowCount >= GROUP_ROWS_MAX || (rowCount >= EAGER_COMMIT_ROWS && this.#committingGroup === null)) return false;
    if (this.#openGroup === null && this.#committingGroup === null) return true;
    // If the first group fails, the second is undone and encoded again: the id table must not have grown, and records cannot be encoded twice.
    return this.#knownIds?.hasRoom(rowCountOf(write)) === true && (this.#committingGroup === null || write.kind !== "records");
  }

  async #encodeNext(write: IngestWrite): Promise<void> {
    // Lets the file operations of the previous group proceed.
    if (this.#committingGroup !== null) await yieldToEventLoop();
    try {
      this.#openGroup ??= await this.#newGroup();
    } catch (error) {
      return this.#rejectQueued(error);
    }
    const group = this.#openGroup;
    if (write.kind === "records") {
      this.#dequeue([write]);
      return await this.#encodeRecords(write, group);
    }
    const alike = this.#alike(write);
    this.#dequeue(alike);
    await this.#encodeInto(group, alike, () => this.#encodeEvents(new IngestCoalescer(alike, (one) => group.outcomeOf(one)), write, group));
  }

  /** The ingest and the ones queued right after it with the same settings. Encoding them together costs about as much as one ingest of all events. */
  #alike(first: QueuedEvents): QueuedEvents[] {
    const alike = [first];
    let rowCount = first.events.length;
    for (let next = this.#queue[1]; next?.kind === "events"; next = this.#queue[alike.length]) {
      rowCount += next.events.length;
      if (rowCount > DECODED_ROW_COUNT || this.#knownIds?.hasRoom(rowCount) !== true) break;
      if (next.project !== first.project || next.allowance?.keyCountMax !== first.allowance?.keyCountMax) break;
      alike.push(next);
    }
    return alike;
  }

  #dequeue(first: readonly IngestWrite[]): void {
    this.#queue.splice(0, first.length);
    for (const write of first) this.#queuedRowCount -= rowCountOf(write);
  }

  async #encodeRecords(write: QueuedRecords, group: IngestGroup): Promise<void> {
    let decoded: readonly (DecodedRecord | NamedProject | DaybookError)[];
    try {
      decoded = await decodeYielding(write);
    } catch (error) {
      // None of these records is encoded yet, so the group stays valid.
      return write.reject(error);
    }
    await this.#encodeInto(group, [write], async () => {
      group.setOutcomes(write, await this.#recordEncoder.addYielding(decoded, this.options.suppression(), write.limit));
    });
  }

  async #encodeInto(group: IngestGroup, writes: readonly IngestWrite[], encode: () => Promise<void>): Promise<void> {
    for (const write of writes) group.add(write);
    try {
      await encode();
    } catch (error) {
      await this.#committing;
      this.#openGroup = null;
      this.#discardUncommitted();
      group.reject(error);
    }
  }

  async #newGroup(): Promise<IngestGroup> {
    if (this.#committingGroup === null) {
      this.store.assertWritable();
      (await this.#loadKnownIds()).reserve(this.#queuedRowCount);
    }
    const [first, second] = this.#builders;
    return new IngestGroup(this.#committingGroup?.builder === first ? second : first, this.store.dictionaries.named(PROJECT_COLUMN));
  }

  /** Rejects everything queued before the next exclusive task. */
  #rejectQueued(error: unknown): void {
    for (let next = this.#queue[0]; next !== undefined && next.kind !== "task"; next = this.#queue[0]) {
      this.#dequeue([next]);
      next.reject(error);
    }
  }

  /** Drops the ids and values of failed writes, which no erasure would find. No commit may be in progress. */
  #discardUncommitted(): void {
    this.#knownIds?.undo();
    this.store.forgetUnjournaled();
    this.#encoder = new EventEncoder(this.store.dictionaries);
    this.#recordEncoder = new RecordEncoder(this.store);
  }

  /** Waits for the previous commit. */
  async #startCommit(group: IngestGroup): Promise<void> {
    await this.#committing;
    this.#openGroup = null;
    if (group.isStale) return this.#requeue(group);
    this.#committingGroup = group;
    this.#committing = this.#commit(group);
  }

  #requeue(group: IngestGroup): void {
    this.#discardUncommitted();
    this.#queue.unshift(...group.writes);
    this.#queuedRowCount += group.rowCount;
  }

  /** Never rejects. */
  async #commit(group: IngestGroup): Promise<void> {
    try {
      const batch = group.builder.batch();
      const { hasNewProject } = this.#recordEncoder;
      const recordBatch = this.#recordEncoder.take(batch);
      if (batch.rowCount > 0 || recordBatch !== null || hasNewProject) await this.store.commit(batch, recordBatch, this.options.clock.now());
      if (recordBatch !== null) this.#recordEncoder.keep();
      this.#knownIds?.keep(batch.rowCount);
      this.options.onCommit(batch, recordBatch !== null || hasNewProject);
      if (this.options.onNotify !== null) notifyEach(this.options.onNotify, group.notified);
      await this.options.afterCommit();
      group.resolve();
    } catch (error) {
      if (this.#openGroup === null) this.#discardUncommitted();
      else this.#openGroup.isStale = true;
      group.reject(error);
    }
    this.#committingGroup = null;
  }

  async #encodeEvents(coalesced: IngestCoalescer, { project, allowance }: QueuedEvents, group: IngestGroup): Promise<void> {
    const { events } = coalesced;
    const { clock, random, keepsFuture } = this.options;
    const encoder = this.#encoder;
    const known = this.#knownIds ?? (await this.#loadKnownIds());
    const suppression = this.options.suppression();
    const timeToLive = this.options.timeToLive();
    const context: DecodeContext = { nowMs: clock.now(), keepsFuture, project, random, knownKeys: encoder.knownKeys };
    const { catalog } = this.store;
    const hasKey = catalog.columnCount < LIMITS.columnCount ? null : (day: number, key: number) => catalog.hasKey(day, key);
    encoder.begin(events.length, hasKey, allowance);
    for (let start = 0; start < events.length; ) {
      const rowCount = encoder.decode(events, start, context);
      known.lookUp(encoder.ids, rowCount, (row) => encoder.projectOf(row));
      for (let row = 0; row < rowCount; row += 1) {
        const fault = encoder.checkAndRedact(row, suppression) ?? this.#expiry(row, timeToLive, context.nowMs);
        if (fault !== null) coalesced.reject(start + row, fault);
        else if (known.mayHave(row) && (await this.#isKnown(row, known, group))) coalesced.advanceTo(start + row).duplicates += 1;
        else {
          coalesced.advanceTo(start + row).accepted += 1;
          this.#accept(row, known, group, coalesced.limit);
          if (encoder.isAdjusted(row)) coalesced.adjust(start + row, isoOf(context.nowMs));
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
    const batches = this.#committingGroup === null ? [group.ids] : [this.#committingGroup.ids, group.ids];
    return known.has(this.#encoder.keyOf(row), this.#encoder.timeOf(row), batches);
  }

  #accept(row: number, known: KnownIds, group: IngestGroup, limit: Limit | null): void {
    this.#encoder.accept(row, group.builder, limit);
    known.add(row);
    if (this.options.onNotify === null) return;
    const record = this.#encoder.notifiedRecord(row);
    if (record !== null) group.notified.push(record);
  }

  async #loadKnownIds(): Promise<KnownIds> {
    if (this.#knownIds === null) {
      const seed = new Uint8Array(4);
      this.options.random(seed);
      this.#knownIds = await KnownIds.of(this.store, new DataView(seed.buffer).getInt32(0));
    }
    return this.#knownIds;
  }
}

/** Decodes records in chunks: each becomes a record or its error. @throws what `decode` throws other than DaybookError */
async function decodeYielding({ records, decode }: QueuedRecords): Promise<(DecodedRecord | NamedProject | DaybookError)[]> {
  const yielder = new Yielder();
  const decoded: (DecodedRecord | NamedProject | DaybookError)[] = [];
  for (const record of records) {
    const one = decodedOrFault(record, decode);
    decoded.push(one);
    await yielder.yieldAfter("texts" in one ? one.texts.traits.length : 0);
  }
  return decoded;
}

function decodedOrFault(record: unknown, decode: QueuedRecords["decode"]): DecodedRecord | NamedProject | DaybookError {
  try {
    return decode(record);
  } catch (error) {
    if (error instanceof DaybookError) return error;
    throw error;
  }
}

/** Stores records of every type, each validated by itself. @throws invalid_parameter (records is not an array), and what a commit throws */
export async function ingestRecords(records: unknown, context: RecordContext, queue: IngestQueue): Promise<IngestResult> {
  if (!Array.isArray(records)) throw parameterError("invalid_parameter", "records", `expected an array, got ${shown(records)}`);
  const outcomes = await queue.addRecords(records, (record) => decodeRecord(record, context));
  const rejected: RejectedEvent[] = [];
  const adjusted: AdjustedEvent[] = [];
  const counts = { accepted: 0, adjusted: 0, duplicate: 0 };
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome instanceof DaybookError) rejected.push({ index, code: outcome.code, message: outcome.message });
    else counts[outcome] += 1;
    if (outcome === "adjusted") adjusted.push({ index, createdAt: isoOf(context.nowMs) });
  }
  return { accepted: counts.accepted + counts.adjusted, duplicates: counts.duplicate, rejected, adjusted };
}
