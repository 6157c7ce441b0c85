import type { EventFault } from "../../core/schema/decode-event.js";
import type { Limit } from "./allowance.js";
import type { IngestOutcome, WaitingEvents } from "./group.js";

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
