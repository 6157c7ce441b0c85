import type { RecordPlace } from "../../identity/record-order.js";
import type { EventKey } from "../../segment/event-order.js";
import type { StoredRecord } from "../../schema/record.js";
import type { ExportInput } from "../../plan/input.js";
import type { ExportedEvent } from "../../schema/exported-event.js";
import type { StopOptions } from "../../base/stop-options.js";

/** Where an export begins, for what is read page by page. The same for all copies of this package in a process. */
export const AFTER: unique symbol = Symbol.for("daybook.exportAfter") as typeof AFTER;

/** Behind which event events begin. */
export interface ExportPlace extends EventKey {
  readonly createdAtMs: number;
}

/** Behind which item records begin; `name`: behind a project without events. */
export type ExportedRecordPlace = RecordPlace | { readonly name: string };

/**
 * A Daybook whose exports may begin behind an item, at the cost of a binary search. A Daybook that was wrapped, or is of another
 * version, begins with the first: who asks must leave out what is not asked for.
 */
export interface PagedExports {
  exportEvents(input: ExportInput & { readonly [AFTER]?: ExportPlace | null }, options?: StopOptions): AsyncIterable<ExportedEvent>;
  exportRecords(options: StopOptions & { readonly [AFTER]?: ExportedRecordPlace | null }): AsyncIterable<StoredRecord>;
}
