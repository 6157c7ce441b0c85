import type { RecordPlace } from "../../identity/record-table.js";
import type { EventKey } from "../../storage/segment/event-order.js";
import type { StoredRecord } from "../../core/schema/record.js";
import type { ExportInput } from "../../query/plan/input.js";
import type { ExportedEvent } from "../../core/schema/event.js";
import type { ExportOptions, StopOptions } from "../../core/base/options.js";
import type { Authorization } from "../query/authorization.js";

/** Key of the option that starts an export in the middle, for reading page by page. The same for all copies of this package in a process. */
export const AFTER: unique symbol = Symbol.for("daybook.exportAfter") as typeof AFTER;

export interface ExportPlace extends EventKey {
  readonly createdAtMs: number;
}

/** The item after which records begin; `name`: a project without events. */
export type ExportedRecordPlace = RecordPlace | { readonly name: string };

/** A Daybook whose exports can begin after an item. A wrapped one, or one of another version, begins with the first: the caller must skip. */
export interface PagedExports {
  exportEvents(input: ExportInput & { readonly [AFTER]?: ExportPlace | null }, options?: ExportOptions & Authorization): AsyncIterable<ExportedEvent>;
  exportRecords(options: StopOptions & { readonly [AFTER]?: ExportedRecordPlace | null }): AsyncIterable<StoredRecord>;
}
