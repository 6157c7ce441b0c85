import type { z } from "zod";
import type { ClientKeyed, ClientSent } from "../routing/route.js";
import type { JsonObject } from "../tracking/members.js";
import type { TrackingOutcome, Rejected, ReceivedItem } from "../tracking/store-entries.js";

/** How one client library talks: what it sends, and which answer it waits for. */
export interface Client {
  /** Of the body, or of what stands in its place in the query. */
  readonly shape: z.ZodObject;
  /** The token, where the library puts it; anything but text is none. */
  readonly keyOf: (sent: ClientKeyed) => unknown;
  /** What it sent, one by one. The body has the shape. */
  readonly itemsOf: (sent: ClientSent) => readonly unknown[];
  /** Where it tells by its clock when it sent, and the id of one of these. Absent: it does not. */
  readonly clock?: { readonly sentAt: (sent: ClientSent) => unknown; readonly idOf: (item: JsonObject) => unknown };
  /** True: it sends the same again, after pauses, without an id. */
  readonly repeats?: boolean;
  /** What one of these tells; nothing where Daybook has no place for it. @throws invalid_parameter */
  readonly read: (item: unknown, reading: ItemContext) => readonly ReceivedItem[] | Promise<readonly ReceivedItem[]>;
  /** What it takes for success. */
  readonly answer: (outcome: TrackingOutcome, sent: ClientSent) => unknown;
  /** What it is told of bad ones, with status 400. Default: what is wrong with the first of them. */
  readonly refusal?: (rejected: readonly Rejected[]) => object;
}

/** What one item is read with. */
export interface ItemContext {
  readonly sent: ClientSent;
  /** Stands before the names of members in what is wrong with it. */
  readonly at: string;
  /** In which amounts without a currency of their own are. */
  readonly currency: string;
  /** Our clock less the sender's, in ms; null: not known. */
  readonly clockOffsetMs: number | null;
  /** An id for what came without one. */
  readonly idOf: IdMaker;
}

/**
 * Makes an id of what was sent with its time: the same for the same bytes sent again. Things that are equal within one request are told apart by
 * their order. What has no time gets a new one, unless the client repeats it.
 * @param content without addresses and whatever else is not stored: who can guess it could find it out by the id
 */
export type IdMaker = (content: unknown, hasTime: boolean) => string;
