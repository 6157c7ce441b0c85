import type { IngestResult, EventInput } from "../../schema/event.js";
import type { IngestOptions } from "../../base/call-options.js";

/** Under which an ingest says up to how many distinct metadata keys its events may bring new ones. The same for all copies of this package. */
export const KEY_COUNT_MAX: unique symbol = Symbol.for("daybook.keyCountMax") as typeof KEY_COUNT_MAX;

/** A Daybook whose ingests have a bound of their own: what comes from public pages must leave room for the rest. One that was wrapped may drop it. */
export interface CollectingDaybook {
  ingest(events: readonly EventInput[], options: IngestOptions & { readonly [KEY_COUNT_MAX]?: number }): Promise<IngestResult>;
}
