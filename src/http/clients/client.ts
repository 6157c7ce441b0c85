import type { z } from "zod";
import type { ClientKeyed, ClientSent } from "../routing/route.js";
import type { JsonObject } from "../tracking/members.js";
import type { TrackingOutcome, Rejected, ReceivedItem } from "../tracking/store-entries.js";

/** Adapter for one client library: what it sends, and which answer it expects. */
export interface ClientAdapter {
  /** Shape of the body, or of the query data that replaces it. */
  readonly shape: z.ZodObject;
  /** The token where the library puts it; anything but text counts as none. */
  readonly keyOf: (sent: ClientKeyed) => unknown;
  /** The items of a request whose body has passed `shape`. */
  readonly itemsOf: (sent: ClientSent) => readonly unknown[];
  /** The sender's clock when it sent, and the id of an item. Absent: the library does not send its time. */
  readonly clock?: { readonly sentAt: (sent: ClientSent) => unknown; readonly idOf: (item: JsonObject) => unknown };
  /** True: the library resends items without an id, after pauses. */
  readonly repeats?: boolean;
  /** Converts an item; empty if Daybook cannot store it. @throws invalid_parameter */
  readonly read: (item: unknown, reading: ItemContext) => readonly ReceivedItem[] | Promise<readonly ReceivedItem[]>;
  /** The answer that the library takes for success. */
  readonly answer: (outcome: TrackingOutcome, sent: ClientSent) => unknown;
  /** The answer about bad items, with status 400. Default: the error of the first one. */
  readonly refusal?: (rejected: readonly Rejected[]) => object;
}

/** Context for the conversion of one item. */
export interface ItemContext {
  readonly sent: ClientSent;
  /** Prefix of member names in errors. */
  readonly at: string;
  /** Currency of amounts without one of their own. */
  readonly currency: string;
  /** Our clock minus the sender's, in ms; null: unknown. */
  readonly clockOffsetMs: number | null;
  /** Makes an id for an item without one. */
  readonly idOf: IdMaker;
}

/**
 * Makes an id from the content of an item with a time: the same bytes, sent again, get the same id. Equal items of one request differ by their order.
 * An item without a time gets a random id, unless the client repeats items.
 * @param content without addresses and other data that is not stored: the id would confirm a guess of it
 */
export type IdMaker = (content: unknown, hasTime: boolean) => string;
