import { DaybookError, shown } from "../base/errors.js";
import { numberOption, unexpectedOption } from "../base/number-option.js";
import { type INGEST, readStopOptions, rejectUnknownOptions, TRACKED, type IngestOptions, type KnownOptions, type StopOptions, type TrackedOption } from "../base/options.js";
import { notifyEach } from "../base/promises.js";
import { backoffMs, requestedDelayMs, systemEnvironment, type RetryDelays, type RetryEnvironment } from "../base/retry.js";
import { SERVER_LIMITS } from "../base/server-limits.js";
import { isoOf } from "../base/time.js";
import { newUuidText } from "../base/uuid.js";
import type { EventInput, IngestResult } from "./event.js";
import { utf8Length } from "./metadata.js";
import { rejectionError } from "./rejections.js";

/** Bounds and times of the queue of `track`. */
export interface TrackQueueOptions {
  /** Events that may wait. Default 10,000. */
  readonly queuedEventCount?: number;
  /** Bytes of these events as JSON. Default 8 MiB. */
  readonly queuedBytes?: number;
  /** Events of one batch, at most 10,000. Default 500. */
  readonly batchEventCount?: number;
  /** How long an event waits for others, in ms. Default 200. */
  readonly batchMs?: number;
  /** How long an event waits in all while batches fail temporarily, in ms. Default 300,000. */
  readonly giveUpAfterMs?: number;
  /**
   * Called with events that were not stored, and why: rejected ones, those that waited too long, and those that did not fit into the queue. They
   * have ids and times, so you may store them later. Errors it throws are ignored. Without it, a line on the console reports them, and the next
   * `flush` or `close` rejects with the first error.
   */
  readonly onError?: (error: DaybookError, events: readonly EventInput[]) => unknown;
}

const KNOWN: KnownOptions<TrackQueueOptions> = {
  queuedEventCount: true, queuedBytes: true, batchEventCount: true, batchMs: true, giveUpAfterMs: true, onError: true,
};

export type CheckedTrackOptions = Required<Omit<TrackQueueOptions, "onError">> & Pick<TrackQueueOptions, "onError">;

/** @throws invalid_parameter, unknown_parameter */
export function readTrackQueueOptions(options: TrackQueueOptions | undefined): CheckedTrackOptions {
  rejectUnknownOptions(options ?? {}, KNOWN, "track");
  const { queuedEventCount, queuedBytes, batchEventCount, batchMs, giveUpAfterMs, onError } = options ?? {};
  if (onError !== undefined && typeof onError !== "function") throw unexpectedOption("track.onError", "a function", onError);
  return {
    queuedEventCount: numberOption(queuedEventCount, "track.queuedEventCount", 1, Number.MAX_SAFE_INTEGER, SERVER_LIMITS.trackedEventCount, true),
    queuedBytes: numberOption(queuedBytes, "track.queuedBytes", 1, Number.MAX_SAFE_INTEGER, SERVER_LIMITS.trackedBytes),
    batchEventCount: numberOption(batchEventCount, "track.batchEventCount", 1, SERVER_LIMITS.bodyItemCount, SERVER_LIMITS.trackBatchEventCount, true),
    batchMs: numberOption(batchMs, "track.batchMs", 0, SERVER_LIMITS.timerMs, SERVER_LIMITS.trackBatchMs),
    giveUpAfterMs: numberOption(giveUpAfterMs, "track.giveUpAfterMs", 0, SERVER_LIMITS.timerMs, SERVER_LIMITS.trackGiveUpMs),
    ...(onError === undefined ? {} : { onError }),
  };
}

/** Stores a batch of the queue. */
export type TrackIngest = (events: readonly EventInput[], options: IngestOptions & TrackedOption) => Promise<IngestResult>;

export interface TrackIngestOption {
  readonly [INGEST]?: TrackIngest;
}

/** What a call of `track` passes on. */
export interface TrackCall {
  readonly event: EventInput;
  /** Null: any. */
  readonly project: string | null;
  readonly ingest: TrackIngest;
  /** The time of the call by the clock of events, epoch ms. */
  readonly nowMs: number;
}

export interface TrackQueueParts {
  readonly random: (bytes: Uint8Array) => void;
  readonly environment?: RetryEnvironment;
  readonly delays?: RetryDelays;
  /** Whether a batch that failed may succeed later. */
  readonly isTransient?: (error: DaybookError) => boolean;
}

interface QueuedEvent {
  readonly event: EventInput;
  readonly project: string | null;
  readonly ingest: TrackIngest;
  readonly byteLength: number;
  readonly takenMs: number;
}

const DELAYS: RetryDelays = { baseMs: SERVER_LIMITS.clientRetryBaseMs, maxMs: SERVER_LIMITS.clientRetryMaxMs };
const TRANSIENT_CODES: readonly string[] = ["overloaded", "unreachable", "storage_full"];

/** Stores events in batches, one at a time and in order, and retries each batch until it is stored, rejected, or too old. */
export class TrackQueue {
  readonly #options: CheckedTrackOptions;
  readonly #parts: Required<TrackQueueParts>;
  /** Including the batch under way, which is at the front. */
  readonly #events: QueuedEvent[] = [];
  #byteLength = 0;
  /** Events that have left the queue, and the count up to which they do so without waiting for others. */
  #settledCount = 0;
  #flushedCount = 0;
  #isRunning = false;
  #wake = new AbortController();
  #waiting: (() => void)[] = [];
  /** The last failure, if nothing was stored since; how often it happened; when the next attempt is due, and how long that was at the failure. */
  #failure: DaybookError | null = null;
  #failureCount = 0;
  #nextAttemptMs = 0;
  #delayMs = 0;
  /** Of events that no `onError` got. */
  #fault: DaybookError | null = null;
  #unreportedCount = 0;
  #warnedMs = -Infinity;

  constructor(options: CheckedTrackOptions, parts: TrackQueueParts) {
    this.#options = options;
    this.#parts = { environment: systemEnvironment, delays: DELAYS, isTransient: ({ code }) => TRANSIENT_CODES.includes(code), ...parts };
  }

  /** Whether there is nothing to store and nothing to report. */
  get isEmpty(): boolean {
    return this.#events.length === 0 && this.#fault === null;
  }

  /** The event may change after the call returns, its metadata may not. */
  add({ event, project, ingest, nowMs }: TrackCall): void {
    const { queuedEventCount, queuedBytes } = this.#options;
    const complete = this.#complete(event, nowMs);
    const byteLength = byteLengthOf(complete);
    if (this.#events.length >= queuedEventCount) return this.#report(full(`${this.#events.length} events are waiting`), [complete]);
    if (this.#byteLength + byteLength > queuedBytes)
      return this.#report(full(`${this.#byteLength} of ${queuedBytes} bytes are taken, and the event has ${byteLength}`), [complete]);
    this.#events.push({ event: complete, project, ingest, byteLength, takenMs: this.#parts.environment.nowMs() });
    this.#byteLength += byteLength;
    if (!this.#isRunning) void this.#run();
    else if (this.#isDue) this.#wake.abort();
  }

  /** Resolves when all events taken before the call have left the queue. @throws aborted; without `onError` the first error since the last flush */
  async flush(options?: StopOptions | null): Promise<void> {
    const { signal } = readStopOptions(options);
    const count = this.#settledCount + this.#events.length;
    this.#flushedCount = count;
    this.#wake.abort();
    while (this.#settledCount < count) {
      if (signal?.aborted === true) throw new DaybookError("aborted", "the flush was stopped by its signal; its events stay in the queue");
      await this.#progress(signal !== undefined);
    }
    const fault = this.#fault;
    this.#fault = null;
    if (fault === null) return;
    if (this.#unreportedCount > 0) this.#warn(fault);
    throw fault;
  }

  /** Resolves when events have left the queue, or when a signal is to be checked again. */
  #progress(isSignalled: boolean): Promise<void> {
    const settled = new Promise<void>((resolve) => this.#waiting.push(resolve));
    return isSignalled ? Promise.race([settled, this.#parts.environment.sleep(SERVER_LIMITS.clientSignalMs, new AbortController().signal)]) : settled;
  }

  /** An id keeps a resent event from being stored twice. */
  #complete(event: EventInput, nowMs: number): EventInput {
    if (!isObject(event)) return event;
    const { id, createdAt, created_at, timestamp } = event;
    const complete: { -readonly [Name in keyof EventInput]: EventInput[Name] } = { ...event };
    if ((id ?? "") === "") complete.id = newUuidText(nowMs, this.#parts.random);
    if ((createdAt ?? created_at ?? timestamp ?? null) === null) complete.createdAt = isoOf(nowMs);
    return complete;
  }

  /** Whether the first event waits for no others. */
  get #isDue(): boolean {
    const { batchEventCount, queuedBytes } = this.#options;
    return this.#settledCount < this.#flushedCount || this.#events.length >= batchEventCount || this.#byteLength * 2 >= queuedBytes;
  }

  async #run(): Promise<void> {
    const { batchMs, giveUpAfterMs } = this.#options;
    this.#isRunning = true;
    for (let first = this.#events[0]; first !== undefined; first = this.#events[0]) {
      if (this.#failure !== null && this.#isTooOld(first)) {
        const batch = this.#nextBatch();
        // A clock that was set back leaves younger events before older ones.
        const end = batch.findIndex((queued) => !this.#isTooOld(queued));
        this.#drop(end === -1 ? batch : batch.slice(0, end), givenUp(this.#failure, giveUpAfterMs));
        continue;
      }
      if (this.#failure !== null) await this.#sleepUntil(this.#nextAttemptMs, this.#delayMs, new AbortController().signal);
      else if (!this.#isDue) {
        this.#wake = new AbortController();
        await this.#sleepUntil(first.takenMs + batchMs, batchMs, this.#wake.signal);
      }
      await this.#store(this.#nextBatch());
    }
    this.#isRunning = false;
  }

  /** Whether the next attempt comes too late for an event. */
  #isTooOld({ takenMs }: QueuedEvent): boolean {
    return this.#nextAttemptMs - takenMs >= this.#options.giveUpAfterMs;
  }

  /** @param maxMs bounds the sleep where the clock was set back */
  async #sleepUntil(ms: number, maxMs: number, signal: AbortSignal): Promise<void> {
    const { environment } = this.#parts;
    const restMs = Math.min(ms - environment.nowMs(), maxMs);
    if (restMs > 0) await environment.sleep(restMs, signal);
  }

  /** The events at the front that one `ingest` can store. */
  #nextBatch(): readonly QueuedEvent[] {
    const batch = this.#events.slice(0, this.#options.batchEventCount);
    const end = batch.findIndex(({ project, ingest }) => project !== batch[0]?.project || ingest !== batch[0].ingest);
    return end === -1 ? batch : batch.slice(0, end);
  }

  async #store(batch: readonly QueuedEvent[]): Promise<void> {
    const [first] = batch;
    if (first === undefined) return;
    const { project, ingest } = first;
    try {
      const result = await ingest(eventsOf(batch), { ...(project === null ? {} : { project }), onRejected: "list", [TRACKED]: true });
      this.#failure = null;
      this.#failureCount = 0;
      this.#settle(batch, result);
    } catch (thrown) {
      this.#fail(batch, thrown instanceof DaybookError ? thrown : new DaybookError("invalid_event", `an event could not be checked: ${shown(String(thrown))}`, {}, { cause: thrown }));
    }
  }

  #settle(batch: readonly QueuedEvent[], { rejected, rejectedCount = rejected.length, ...counts }: IngestResult): void {
    const places = new Set(rejected.map(({ index }) => index));
    const [first, ...others] = rejected.map((item, index) => ({ ...item, index }));
    if (first !== undefined) {
      const refused = batch.filter((_, index) => places.has(index));
      this.#report(rejectionError(first, { ...counts, rejected: [first, ...others] }), eventsOf(refused));
    }
    // A server lists only the first ones. The others are found by sending the rest again.
    const isListed = first === undefined || rejectedCount <= rejected.length;
    this.#remove(batch, isListed ? [] : batch.filter((_, index) => !places.has(index)));
  }

  #fail(batch: readonly QueuedEvent[], error: DaybookError): void {
    const { environment, delays, isTransient } = this.#parts;
    if (!isTransient(error)) return this.#drop(batch, error);
    this.#failure = error;
    this.#failureCount += 1;
    this.#delayMs = backoffMs(delays, this.#failureCount, environment.random(), requestedDelayMs(error));
    this.#nextAttemptMs = environment.nowMs() + this.#delayMs;
  }

  #drop(batch: readonly QueuedEvent[], error: DaybookError): void {
    this.#report(error, eventsOf(batch));
    this.#remove(batch, []);
  }

  /** @param kept events of the batch that stay in the queue */
  #remove(batch: readonly QueuedEvent[], kept: readonly QueuedEvent[]): void {
    this.#events.splice(0, batch.length, ...kept);
    this.#settledCount += batch.length - kept.length;
    this.#byteLength = this.#events.length === 0 ? 0 : this.#byteLength - bytesOf(batch) + bytesOf(kept);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }

  #report(error: DaybookError, events: readonly EventInput[]): void {
    const { onError } = this.#options;
    if (onError !== undefined) return notifyEach((all) => onError(error, all), [events]);
    this.#fault ??= error;
    this.#unreportedCount += events.length;
    if (this.#parts.environment.nowMs() - this.#warnedMs >= SERVER_LIMITS.trackWarnMs) this.#warn(error);
  }

  #warn(error: DaybookError): void {
    this.#warnedMs = this.#parts.environment.nowMs();
    console.warn(`daybook: tracked events not stored: ${this.#unreportedCount}; ${error.code}: ${error.message}`);
    this.#unreportedCount = 0;
  }
}

function isObject(event: unknown): event is object {
  return typeof event === "object" && event !== null && !Array.isArray(event);
}

/** The event as JSON; 0 where it cannot be JSON, which `ingest` reports. */
function byteLengthOf(event: unknown): number {
  try {
    return utf8Length(JSON.stringify(event) ?? "");
  } catch {
    return 0;
  }
}

function bytesOf(events: readonly QueuedEvent[]): number {
  return events.reduce((sum, { byteLength }) => sum + byteLength, 0);
}

function eventsOf(queued: readonly QueuedEvent[]): readonly EventInput[] {
  return queued.map(({ event }) => event);
}

function full(why: string): DaybookError {
  return new DaybookError("overloaded", `the queue of track is full: ${why}`);
}

function givenUp({ code, message, details }: DaybookError, giveUpAfterMs: number): DaybookError {
  return new DaybookError(code, `given up after ${giveUpAfterMs} ms: ${message}`, details);
}
