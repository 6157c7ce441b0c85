import { uuidOfText } from "../../../src/core/base/uuid.js";
import type { EventInput, EventRecord } from "../../../src/core/schema/event.js";
import { instantMsOf } from "./instant.js";
import { isSet } from "./json.js";
import type { Moment } from "./moment.js";
import { slugOf } from "./slug.js";

/** An accepted event: its record as answers show it, and what the record does not say. */
export interface OracleEvent extends Moment {
  readonly project: string;
  readonly record: EventRecord;
  readonly userId: string;
  readonly anonymousId: string;
  readonly companyId: string;
  readonly value: number | null;
  readonly currency: string;
  readonly externalId: string;
}

const UTF8 = new TextEncoder();
const FUTURE_SKEW_MS = 5 * 60_000;
const FIRST_NUMBER_MS = Date.UTC(1973, 0, 1);
const MEMBERS = new Set(
  `id name userId user_id anonymousId anonymous_id project createdAt created_at timestamp metadata notify slug
  locationCountry location_country locationCity location_city locationRegion location_region locationLon location_lon
  locationLat location_lat device os browser screen language referrer url hostname value currency externalId external_id
  companyId company_id`.split(/\s+/),
);

const TIMES = ["createdAt", "created_at", "timestamp"];
const IDS = "userId user_id anonymousId anonymous_id".split(" ");
const NUMBERS = "locationLon location_lon locationLat location_lat value".split(" ");

/** When all arrived, and what becomes of times that are ahead of it. */
export interface Receipt {
  readonly nowMs: number;
  readonly futureEvents?: "adjust" | "keep";
}

/** The accepted ones of events in order of arrival: of one id in a project the first is kept, broken ones are left out. */
export function acceptedEvents(events: readonly EventInput[], receipt: Receipt): OracleEvent[] {
  const accepted = new Map<string, OracleEvent>();
  for (const [arrival, input] of events.entries()) {
    const event = isBroken(input) ? null : eventOf(input, arrival, receipt);
    const key = event === null ? "" : `${event.id} ${event.project}`;
    if (event !== null && !accepted.has(key)) accepted.set(key, event);
  }
  return [...accepted.values()];
}

/** True where `ingest` must answer with a rejection. */
export function isBroken(input: EventInput): boolean {
  const { name, metadata, notify, ...rest }: Record<string, unknown> = { ...input };
  if (typeof name !== "string" || name === "" || name.length > 200) return true;
  if (typeof (notify ?? false) !== "boolean" || !isMetadata(metadata ?? {})) return true;
  if (Object.entries(rest).some(([member, value]) => !MEMBERS.has(member) || !isMember(member, value))) return true;
  return acceptedTimeMs(timeOf(input), { nowMs: 0 }) === null || !isWellFormed([input, metadata]);
}

function isMember(member: string, value: unknown): boolean {
  if (value === undefined || value === null || TIMES.includes(member)) return true;
  if (typeof value === "number") return IDS.includes(member) ? Number.isSafeInteger(value) : NUMBERS.includes(member) && Number.isFinite(value);
  return typeof value === "string" && member !== "value";
}

/** True for an object of at most 32 KiB and eight levels without infinite numbers: metadata, and traits. */
export function isMetadata(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return depthOf(value) <= 8 && !hasNonFinite(value) && UTF8.encode(JSON.stringify(value)).length <= 32 * 1024;
}

function eventOf(input: EventInput, arrival: number, receipt: Receipt): OracleEvent {
  const createdAtMs = acceptedTimeMs(timeOf(input), receipt) ?? receipt.nowMs;
  const userId = text(input.userId, input.user_id);
  const place = placeOf(text(input.url));
  const id = uuidOfText(text(input.id) || `without id, arrived as number ${arrival}`);
  const project = text(input.project) || "default";
  return {
    id,
    project,
    createdAtMs,
    userId,
    anonymousId: text(input.anonymousId, input.anonymous_id),
    companyId: text(input.companyId, input.company_id),
    // As JSON writes it: there is no -0.
    value: (input.value ?? null) === null ? null : Number(input.value) + 0,
    currency: text(input.currency),
    externalId: text(input.externalId, input.external_id),
    record: {
      id,
      name: input.name,
      notify: input.notify ?? false,
      slug: text(input.slug) || slugOf(input.name),
      userId,
      project,
      createdAt: new Date(createdAtMs).toISOString(),
      metadata: (input.metadata ?? {}) as EventRecord["metadata"],
      locationCountry: text(input.locationCountry, input.location_country),
      locationCity: text(input.locationCity, input.location_city),
      locationRegion: text(input.locationRegion, input.location_region),
      locationLon: text(input.locationLon, input.location_lon),
      locationLat: text(input.locationLat, input.location_lat),
      device: text(input.device),
      os: text(input.os),
      browser: text(input.browser),
      screen: text(input.screen),
      language: text(input.language),
      referrer: text(input.referrer) || null,
      url: place.url,
      hostname: text(input.hostname) || place.hostname,
    },
  };
}

/** Path with query, as written, and host of a web address; anything else as it is, but for user and password. */
function placeOf(address: string): { readonly url: string; readonly hostname: string } {
  if (/^https?:\/\//i.test(address) && URL.canParse(address)) {
    const page = address.replace(/#.*$/s, "").replace(/^https?:\/\/[^/?]*/i, "");
    return { url: page.startsWith("/") ? page : `/${page}`, hostname: new URL(address).hostname };
  }
  return { url: address.replace(/(?<=^(?:[a-z][a-z0-9+.-]*:)?\/\/)[^/?#]*@/i, ""), hostname: "" };
}

/** The first value that is set, as text; `""` when none is. */
export function text(...values: readonly unknown[]): string {
  return String(values.find(isSet) ?? "");
}

/** Epoch ms of a claimed time: now where there is none, or one too far in the future that is not kept; null for a broken one, such as seconds. */
export function acceptedTimeMs(time: unknown, { nowMs, futureEvents }: Receipt): number | null {
  if (time === undefined || time === null) return nowMs;
  const ms = time instanceof Date ? time.getTime() : typeof time === "string" ? instantMsOf(time) : time;
  if (typeof ms !== "number" || !Number.isInteger(ms) || ms < 0) return null;
  if (typeof time === "number" && ms < FIRST_NUMBER_MS) return null;
  return ms > nowMs + FUTURE_SKEW_MS && futureEvents !== "keep" ? nowMs : ms;
}

function timeOf(input: EventInput): unknown {
  return input.createdAt ?? input.created_at ?? input.timestamp;
}

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

function hasNonFinite(value: unknown): boolean {
  if (typeof value === "number") return !Number.isFinite(value);
  return typeof value === "object" && value !== null && Object.values(value).some(hasNonFinite);
}

/** True when no text in a value, keys included, has half of a surrogate pair. */
export function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([key, member]) => key.isWellFormed() && isWellFormed(member));
}
