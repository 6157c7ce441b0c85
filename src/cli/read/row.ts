import type { EventInput } from "../../schema/event.js";

/** One record of a source: an event, or why it is none. `line` counts from 1. */
export type Row =
  | { readonly line: number; readonly event: EventInput }
  | { readonly line: number; readonly reason: string };

/** A source in reading order, in blocks of some hundred rows: an await per block, not per row. */
export type Rows = AsyncIterable<readonly Row[]>;
