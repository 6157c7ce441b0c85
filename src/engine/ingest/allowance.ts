import type { IngestOptions } from "../../base/call-options.js";
import type { Dictionaries } from "../../column/dictionaries.js";
import type { DecodedRecord } from "../../identity/decode-record.js";
import type { DecodedEvents } from "../../schema/decode-event.js";
import type { EventInput, IngestResult } from "../../schema/event.js";
import type { IdentifyInput, LinkResult } from "../../schema/record.js";

/** Under which a call carries what it may bring that is new. The same for all copies of this package. */
export const ALLOWANCE: unique symbol = Symbol.for("daybook.allowance") as typeof ALLOWANCE;

/** Under which a Daybook tells how full of distinct values it is. The same for all copies of this package. */
export const FULLNESS: unique symbol = Symbol.for("daybook.fullness") as typeof FULLNESS;

/** A Daybook whose distinct values are in memory. */
export interface FillingDaybook {
  /** Share of the bound on bytes, or on values of one field, whichever is more. Cost: a look at each dictionary. */
  [FULLNESS](): number;
}

/** What events and records may bring that their store has not. */
export interface Allowance {
  /** Distinct metadata keys of the store up to which events may bring new ones. */
  readonly keyCountMax: number;
  /** Takes out of events what they may not bring; null: the bounds of the store refuse those that bring too much. */
  readonly limit: Limit | null;
}

/** Asked once for each event or record that is stored, and not at all for one that was there. */
export interface Limit {
  /** Puts something else in the place of texts and metadata that a row may not bring. @param codes of its texts: -1 for those that were new */
  event(row: number, decoded: DecodedEvents, codes: Int32Array, dictionaries: Dictionaries): void;
  /** Whether a record may bring what is new of it; one that may not is left out, of which its sender hears nothing. */
  record(record: DecodedRecord, dictionaries: Dictionaries): boolean;
}

export interface AllowedOptions {
  readonly [ALLOWANCE]?: Allowance;
}

/** A Daybook to which calls may bring no more that is new than they are allowed. One that was wrapped may drop it. */
export interface AllowingDaybook {
  ingest(events: readonly EventInput[], options: IngestOptions & AllowedOptions): Promise<IngestResult>;
  identify(input: IdentifyInput, options: AllowedOptions): Promise<LinkResult>;
}
