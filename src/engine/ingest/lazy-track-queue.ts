import { INGEST, projectOfTrack, readStopOptions, type StopOptions, type TrackOptions } from "../../core/base/options.js";
import type { Clock } from "../../core/base/time.js";
import type { EventInput } from "../../core/schema/event.js";
import type { TrackCall, TrackIngest, TrackIngestOption, TrackQueue, TrackQueueOptions, readTrackQueueOptions } from "../../core/schema/track-queue.js";

interface LazyTrackQueueParts {
  readonly options: TrackQueueOptions | undefined;
  readonly clock: Clock;
  readonly random: (bytes: Uint8Array) => void;
  readonly ingest: TrackIngest;
  readonly load: () => Promise<{ readonly TrackQueue: typeof TrackQueue; readonly readTrackQueueOptions: typeof readTrackQueueOptions }>;
}

/** The queue of `track` of a Daybook. Most programs track nothing, so the first event loads it. */
export class LazyTrackQueue {
  readonly #parts: LazyTrackQueueParts;
  #queue: TrackQueue | null = null;
  #loading: Promise<void> | null = null;
  /** Events tracked before the queue is loaded, which then bounds them. */
  #early: TrackCall[] = [];

  constructor(parts: LazyTrackQueueParts) {
    this.#parts = parts;
  }

  get isUsed(): boolean {
    return this.#loading !== null || this.#early.length > 0;
  }

  /** @throws invalid_parameter, unknown_parameter (an option) */
  track(event: EventInput, options: (TrackOptions & TrackIngestOption) | null | undefined): void {
    const { clock, ingest } = this.#parts;
    const tracked = { event, project: projectOfTrack(options), ingest: options?.[INGEST] ?? ingest, nowMs: clock.now() };
    if (this.#queue !== null) return this.#queue.add(tracked);
    // The caller may change the event before the queue is loaded.
    this.#early.push({ ...tracked, event: Object.prototype.toString.call(event) === "[object Object]" ? { ...event } : event });
    if (this.#loading !== null) return;
    this.#loading = this.#load();
    // The next event, or a flush, tries again.
    this.#loading.catch(() => (this.#loading = null));
  }

  /** @throws what `TrackQueue.flush` throws */
  async flush(options?: StopOptions | null): Promise<void> {
    readStopOptions(options);
    if (this.#queue === null && this.#early.length > 0) this.#loading ??= this.#load();
    await this.#loading;
    await this.#queue?.flush(options);
  }

  async #load(): Promise<void> {
    const { options, random, load } = this.#parts;
    const loaded = await load();
    const queue = new loaded.TrackQueue(loaded.readTrackQueueOptions(options), { random });
    this.#queue = queue;
    for (const tracked of this.#early) queue.add(tracked);
    this.#early = [];
  }
}
