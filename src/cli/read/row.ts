import type { EventInput } from "../../core/schema/event.js";
import type { RecordInput } from "../../core/schema/record.js";

/** One row of a source: an event, or why it is rejected. `line` counts from 1. */
export type ImportRow =
  | { readonly line: number; readonly event: EventInput }
  | { readonly line: number; readonly reason: string };

/** An identity record, which copies of a store hold beside events. */
export interface ImportRecord {
  readonly line: number;
  readonly record: RecordInput;
}

/** A source in reading order, in blocks of some hundred rows: an await per block, not per row. */
export type ImportRows = AsyncIterable<readonly (ImportRow | ImportRecord)[]>;

/** Why a file cannot be read at all; the message does not name the file. */
export class FileFault extends Error {}
