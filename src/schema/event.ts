import type { ErrorCode } from "../base/errors.js";

/** What a caller may hand to `ingest`, in camelCase or snake_case. Dates: RFC 3339 text, epoch ms (from 1973 on) or `Date`. */
export interface EventInput {
  /** A UUID; any other string is hashed to one, always the same; absent: a UUIDv7 is assigned. */
  readonly id?: string | null | undefined;
  readonly name: string;
  readonly userId?: string | number | null | undefined;
  readonly user_id?: string | number | null | undefined;
  readonly anonymousId?: string | number | null | undefined;
  readonly anonymous_id?: string | number | null | undefined;
  readonly project?: string | null | undefined;
  readonly createdAt?: string | number | Date | null | undefined;
  readonly created_at?: string | number | Date | null | undefined;
  readonly timestamp?: string | number | Date | null | undefined;
  /** An object of JSON values: at most 32 KiB, 8 levels deep. */
  readonly metadata?: object | null | undefined;
  readonly notify?: boolean | null | undefined;
  readonly slug?: string | null | undefined;
  readonly locationCountry?: string | null | undefined;
  readonly location_country?: string | null | undefined;
  readonly locationCity?: string | null | undefined;
  readonly location_city?: string | null | undefined;
  readonly locationRegion?: string | null | undefined;
  readonly location_region?: string | null | undefined;
  readonly locationLon?: string | number | null | undefined;
  readonly location_lon?: string | number | null | undefined;
  readonly locationLat?: string | number | null | undefined;
  readonly location_lat?: string | number | null | undefined;
  readonly device?: string | null | undefined;
  readonly os?: string | null | undefined;
  readonly browser?: string | null | undefined;
  readonly screen?: string | null | undefined;
  readonly language?: string | null | undefined;
  readonly referrer?: string | null | undefined;
  readonly url?: string | null | undefined;
  readonly hostname?: string | null | undefined;
  /** Revenue in major units of `currency`. */
  readonly value?: number | null | undefined;
  readonly currency?: string | null | undefined;
  /** Order key: a payment is counted once per key; refunds of it all count. */
  readonly externalId?: string | null | undefined;
  readonly external_id?: string | null | undefined;
  readonly companyId?: string | null | undefined;
  readonly company_id?: string | null | undefined;
}

/** One stored event as answers show it (camelCase twin of the event record on the wire). */
export interface EventRecord {
  readonly id: string;
  readonly name: string;
  readonly notify: boolean;
  readonly slug: string;
  readonly userId: string;
  readonly project: string;
  /** ISO 8601, milliseconds, UTC. */
  readonly createdAt: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly locationCountry: string;
  readonly locationCity: string;
  readonly locationRegion: string;
  readonly locationLon: string;
  readonly locationLat: string;
  readonly device: string;
  readonly os: string;
  readonly browser: string;
  readonly screen: string;
  readonly language: string;
  readonly referrer: string | null;
  readonly url: string;
  readonly hostname: string;
}

/** A found event: its record, whatever else it was sent with, and whose it is. */
export interface FoundEvent extends EventRecord {
  /** `""`: not set. So are the others, but for `value`. */
  readonly anonymousId: string;
  /** Revenue in major units of `currency`; null: not set. */
  readonly value: number | null;
  readonly currency: string;
  readonly externalId: string;
  /** As it was sent; the filter field `company_id` knows the companies of people too. */
  readonly companyId: string;
  /** What reports about people call whoever it belongs to at the moment of the question; null: it has neither user id nor anonymous id. */
  readonly identityId: string | null;
}

/** An event that was not stored, and why. */
export interface RejectedEvent {
  /** Position in the batch, from 0. */
  readonly index: number;
  readonly code: ErrorCode;
  readonly message: string;
}

/** An event that was accepted, but whose time was more than five minutes ahead of the clock. */
export interface AdjustedEvent {
  /** Position in the batch, from 0. */
  readonly index: number;
  /** The time of receipt, which it is stored at: ISO 8601, milliseconds, UTC. */
  readonly createdAt: string;
}

/** The outcome of one `ingest`: every event of the batch is in exactly one of the first three. */
export interface IngestResult {
  readonly accepted: number;
  readonly duplicates: number;
  readonly rejected: readonly RejectedEvent[];
  /** How many were rejected, where a server names the first ones alone: over HTTP, of more than a hundred. */
  readonly rejectedCount?: number;
  /** Of those that were accepted. None where `futureEvents` is `"keep"`. */
  readonly adjusted: readonly AdjustedEvent[];
}
