import type { IngestOptions } from "../../core/base/options.js";
import type { DecodedEvents } from "../../core/schema/decode-event.js";
import type { EventInput, IngestResult } from "../../core/schema/event.js";
import type { IdentifyInput, LinkResult } from "../../core/schema/record.js";
import type { DecodedRecord } from "../../identity/decode-record.js";
import type { Dictionaries } from "../../storage/column/dictionaries.js";

/** Key of the option that limits what new values a call may add. The same for all copies of this package. */
export const ALLOWANCE: unique symbol = Symbol.for("daybook.allowance") as typeof ALLOWANCE;

/** Key of the method that reports how full of distinct values a Daybook is. The same for all copies of this package. */
export const FULLNESS: unique symbol = Symbol.for("daybook.fullness") as typeof FULLNESS;

export interface DaybookWithFullness {
  /** Used share of the bound on bytes, or on values of one field, whichever is larger. Cost: one read per dictionary. */
  [FULLNESS](): number;
}

export interface Allowance {
  /** Distinct metadata keys of the store up to which events may add new ones. */
  readonly keyCountMax: number;
  /** Removes from events what they may not add; null: the bounds of the store reject events that add too much. */
  readonly limit: Limit | null;
}

/** Called once for each event or record that is stored, and never for duplicates. */
export interface Limit {
  /** Replaces texts and metadata that a row may not add. @param codes of its texts: -1 for new ones */
  event(row: number, decoded: DecodedEvents, codes: Int32Array, dictionaries: Dictionaries): void;
  /** Whether a record may add its new values; otherwise it is dropped, which its sender cannot see. */
  record(record: DecodedRecord, dictionaries: Dictionaries): boolean;
}

export interface AllowedOptions {
  readonly [ALLOWANCE]?: Allowance;
}

/** A Daybook whose calls may be limited in the new values they add. A wrapped one may drop the limits. */
export interface DaybookWithAllowance {
  ingest(events: readonly EventInput[], options: IngestOptions & AllowedOptions): Promise<IngestResult>;
  identify(input: IdentifyInput, options: AllowedOptions): Promise<LinkResult>;
}
