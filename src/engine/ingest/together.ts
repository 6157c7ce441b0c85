import type { EventFault } from "../../schema/decode-event.js";
import type { Limit } from "./allowance.js";
import type { IngestOutcome, WaitingEvents } from "./group.js";

/** Ingests that are encoded as one: each event is told of in order, and counts for the one that brought it. */
export class Together {
  readonly events: unknown[] = [];
  /** That of the ingest that is told of. */
  limit: Limit | null = null;
  #outcome: IngestOutcome | undefined;
  #taken = 0;
  /** Where the events of the ingest that is told of begin and end. */
  #start = 0;
  #end = 0;

  constructor(
    readonly waiting: readonly WaitingEvents[],
    readonly outcomeOf: (waiting: WaitingEvents) => IngestOutcome,
  ) {
    for (const { events } of waiting) for (let at = 0; at < events.length; at += 1) this.events.push(events[at]);
  }

  /** What becomes of the ingest that brought an event. */
  of(index: number): IngestOutcome {
    for (let next = this.waiting[this.#taken]; next !== undefined && index >= this.#end; next = this.waiting[this.#taken]) {
      this.#taken += 1;
      this.#outcome = this.outcomeOf(next);
      this.limit = next.allowance?.limit ?? null;
      this.#start = this.#end;
      this.#end += next.events.length;
    }
    // Whoever asks names an event that is there.
    return this.#outcome as IngestOutcome;
  }

  reject(index: number, { code, message }: EventFault): void {
    this.of(index).rejected.push({ index: index - this.#start, code, message });
  }

  /** An event that is accepted is stored at another time than its own. */
  adjust(index: number, createdAt: string): void {
    this.of(index).adjusted.push({ index: index - this.#start, createdAt });
  }
}
