/** What a caller may hand to `ingest`, in camelCase or snake_case. Dates: RFC 3339 text, epoch ms or `Date`. */
export interface EventInput {
  /** A UUID; any other string is hashed to one, always the same; absent: a UUIDv7 is assigned. */
  readonly id?: string | null;
  readonly name: string;
  readonly userId?: string | number | null;
  readonly user_id?: string | number | null;
  readonly anonymousId?: string | number | null;
  readonly anonymous_id?: string | number | null;
  readonly project?: string | null;
  readonly createdAt?: string | number | Date | null;
  readonly created_at?: string | number | Date | null;
  readonly timestamp?: string | number | Date | null;
  readonly metadata?: Readonly<Record<string, unknown>> | null;
  readonly notify?: boolean | null;
  readonly slug?: string | null;
  readonly locationCountry?: string | null;
  readonly location_country?: string | null;
  readonly locationCity?: string | null;
  readonly location_city?: string | null;
  readonly locationRegion?: string | null;
  readonly location_region?: string | null;
  readonly locationLon?: string | number | null;
  readonly location_lon?: string | number | null;
  readonly locationLat?: string | number | null;
  readonly location_lat?: string | number | null;
  readonly device?: string | null;
  readonly os?: string | null;
  readonly browser?: string | null;
  readonly screen?: string | null;
  readonly language?: string | null;
  readonly referrer?: string | null;
  readonly url?: string | null;
  readonly hostname?: string | null;
  /** Revenue in major units of `currency`. */
  readonly value?: number | null;
  readonly currency?: string | null;
  /** Order key: a payment is counted once per key. */
  readonly externalId?: string | null;
  readonly external_id?: string | null;
  readonly companyId?: string | null;
  readonly company_id?: string | null;
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
  readonly code: string;
  readonly message: string;
}

/** The outcome of one `ingest`: every event of the batch is in exactly one of the three. */
export interface IngestResult {
  readonly accepted: number;
  readonly duplicates: number;
  readonly rejected: readonly RejectedEvent[];
}
