import { DaybookError, shown } from "../base/errors.js";
import type { Clock } from "../base/clock.js";
import { LIMITS } from "../base/limits.js";
import type { DecodeContext } from "../schema/decode-event.js";
import type { EventRecord, IngestResult, RejectedEvent } from "../schema/event.js";
import { BatchBuilder } from "../store/batch.js";
import type { Store } from "../store/store.js";
import { EventEncoder } from "./encode-events.js";
import { KnownIds } from "./known-ids.js";

/** Rows after which a group is written, though more is queued: bounds the memory of one frame. */
const GROUP_ROW_COUNT = 20_000;

interface Waiting {
  readonly events: readonly unknown[];
  readonly project: string | null;
  readonly resolve: (result: IngestResult) => void;
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
  readonly onNotify: ((event: EventRecord) => void) | null;
  /** Called after each group, while no commit is under way. */
  readonly afterCommit: () => Promise<void>;
}

/**
 * The one writer: takes all that waits, makes it one frame, one write and one sync, then answers all who waited. Nothing
 * lingers: an ingest that comes alone is written alone.
 */
export class IngestQueue {
  #waiting: Waiting[] = [];
  #waitingRowCount = 0;
  #running: Promise<void> | null = null;
  #knownIds: KnownIds | null = null;
  readonly #builder = new BatchBuilder();
  readonly #encoder: EventEncoder;

  constructor(
    readonly store: Store,
    readonly options: IngestQueueOptions,
  ) {
    this.#encoder = new EventEncoder(store.dictionaries);
  }

  get byteLength(): number {
    return this.#knownIds?.byteLength ?? 0;
  }

  /** @throws invalid_parameter, overloaded, and what a commit throws */
  add(events: readonly unknown[], project: string | null): Promise<IngestResult> {
    if (!Array.isArray(events))
      return Promise.reject(new DaybookError("invalid_parameter", `events: expected an array, got ${shown(events)}`, { param: "events" }));
    if (this.#waitingRowCount + events.length > LIMITS.queuedIngestRows && this.#waiting.length > 0)
      return Promise.reject(new DaybookError("overloaded", `${this.#waitingRowCount} events are waiting to be written`));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ events, project, resolve, reject });
      this.#waitingRowCount += events.length;
      this.#running ??= this.#run();
    });
  }

  /** Runs `act` while no commit is under way, after all that waits now. */
  async exclusive(act: () => Promise<void>): Promise<void> {
    while (this.#running !== null) await this.#running;
    this.#running = act().finally(() => {
      this.#running = this.#waiting.length > 0 ? this.#run() : null;
    });
    await this.#running;
  }

  async #run(): Promise<void> {
    // A turn of the queue later, callers of the same tick have added theirs: they share the sync.
    await Promise.resolve();
    while (this.#waiting.length > 0) await this.#commitGroup(this.#takeGroup());
    this.#running = null;
  }

  #takeGroup(): Waiting[] {
    let rowCount = 0;
    let end = 0;
    while (end < this.#waiting.length && (end === 0 || rowCount < GROUP_ROW_COUNT)) {
      rowCount += this.#waiting[end]?.events.length ?? 0;
      end += 1;
    }
    const group = this.#waiting.slice(0, end);
    this.#waiting = this.#waiting.slice(end);
    this.#waitingRowCount -= rowCount;
    return group;
  }

  async #commitGroup(group: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await this.#write(group);
      group.forEach((waiting, index) => waiting.resolve(outcomes[index] ?? { accepted: 0, duplicates: 0, rejected: [] }));
    } catch (error) {
      this.#knownIds?.undo();
      for (const waiting of group) waiting.reject(error);
    }
  }

  async #write(group: readonly Waiting[]): Promise<Outcome[]> {
    if (!this.store.isWritable) throw new DaybookError("read_only", "the store does not take writes");
    const known = await this.#ids();
    const eventCount = group.reduce((sum, waiting) => sum + waiting.events.length, 0);
    known.begin(eventCount);
    this.#encoder.begin(eventCount);
    this.#builder.clear();
    const notified: EventRecord[] = [];
    const outcomes: Outcome[] = [];
    for (const waiting of group) outcomes.push(await this.#encode(waiting, known, notified));
    const { rowCount } = this.#builder;
    if (rowCount > 0) await this.store.commit(this.#builder.batch(), rowCount);
    known.keep();
    this.#notify(notified);
    await this.options.afterCommit();
    return outcomes;
  }

  async #encode({ events, project }: Waiting, known: KnownIds, notified: EventRecord[]): Promise<Outcome> {
    const outcome: Outcome = { accepted: 0, duplicates: 0, rejected: [] };
    const encoder = this.#encoder;
    const { clock, random } = this.options;
    const context: DecodeContext = { nowMs: clock.now(), project, random, known: encoder.fields };
    for (let index = 0; index < events.length; index += 1) {
      const fault = encoder.decode(events[index], context);
      if (fault !== null) {
        outcome.rejected.push({ index, code: fault.code, message: fault.message });
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

  /** A hook that throws must not undo what is durable, nor keep the others from being called. */
  #notify(records: readonly EventRecord[]): void {
    for (const record of records) {
      try {
        this.options.onNotify?.(record);
      } catch {
        continue;
      }
    }
  }
}
