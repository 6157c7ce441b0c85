import { ApiError } from "../charts/api-error.js";
import { addDays, dayIn, isDay, isZone } from "../charts/days.js";
import type { FunnelInput, RetentionInput, TrendInput } from "../query/plan/input.js";

/** Days up to today instead of two dates. */
interface LastDays {
  /** The last days up to today, in the time zone: 1 to 3,660. */
  readonly lastDays?: number;
}

/** The queries of elements: each as the library takes it, with `lastDays` where days up to today are wanted. */
export interface ElementQueries {
  readonly trend: TrendInput & LastDays;
  readonly funnel: FunnelInput & LastDays;
  readonly retention: RetentionInput & LastDays;
}

export type ElementQueryName = keyof ElementQueries;

/** The members of a query, not checked: the server does. */
export type QueryInput = Readonly<Record<string, unknown>>;

export function attributeError(detail: string): ApiError {
  return new ApiError("invalid_attribute", 0, detail, null, null);
}

/** The input of an element's query. @param value JSON, or what it stands for @throws ApiError: invalid_attribute */
export function readQuery(value: unknown, name: ElementQueryName): QueryInput {
  const expected = `query: expected {"${name}": {…}}`;
  if (value === null || value === undefined) throw attributeError(`${expected}, got none.`);
  const query = typeof value === "string" ? parsedJson("query", value) : value;
  if (!isRecord(query)) throw attributeError(`${expected}, got ${shortText(query)}.`);
  const names = Object.keys(query);
  if (names.length !== 1 || names[0] !== name) throw attributeError(`${expected}, got ${names.length === 0 ? "{}" : names.map((each) => `"${each}"`).join(", ")}.`);
  const input = query[name];
  if (!isRecord(input)) throw attributeError(`query.${name}: expected an object, got ${shortText(input)}.`);
  return input;
}

/** @throws ApiError: invalid_attribute */
export function parsedJson(attribute: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw attributeError(`${attribute}: expected JSON, got ${cut(text)}: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const SHOWN_CHARS = 60;

function shortText(value: unknown): string {
  return cut(JSON.stringify(value) ?? String(value));
}

function cut(text: string): string {
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text;
}

const LAST_DAYS_MAX = 3_660;

/** Days of a query in its time zone. */
export interface QueryDays {
  readonly startDate: string;
  readonly endDate: string;
}

function lastDays(name: string, count: unknown, zone: string, nowMs: number): QueryDays {
  if (typeof count !== "number" || !Number.isInteger(count) || count < 1 || count > LAST_DAYS_MAX)
    throw attributeError(`${name}: expected 1 to ${LAST_DAYS_MAX} days, got ${shortText(count)}.`);
  const today = dayIn(zone, nowMs);
  return { startDate: addDays(today, 1 - count), endDate: today };
}

/** From `30d`, one day, or two days: `2026-03-01..2026-03-31`. @throws ApiError: invalid_attribute */
export function readDateRange(text: string, zone: string, nowMs: number): QueryDays {
  const [, count] = /^(\d+)d$/.exec(text.trim()) ?? [];
  if (count !== undefined) return lastDays("date-range", Number(count), zone, nowMs);
  const [first = "", last = first, ...others] = text.trim().split("..");
  if (!isDay(first) || !isDay(last) || others.length > 0)
    throw attributeError(`date-range: expected days such as 30d, or dates such as 2026-03-01..2026-03-31, got ${shortText(text)}.`);
  if (first > last) throw attributeError(`date-range: expected the earlier date first, got ${shortText(text)}.`);
  return { startDate: first, endDate: last };
}

interface QueryPlace {
  /** Take the place of those in the query; null: are not set. */
  readonly dateRange: string | null;
  readonly timeZone: string | null;
  readonly nowMs: number;
}

/** The input with the dates and the zone of the element. @throws ApiError: invalid_attribute */
export function placedInput({ lastDays: count, ...input }: QueryInput, { dateRange, timeZone, nowMs }: QueryPlace): QueryInput {
  if (timeZone !== null && !isZone(timeZone))
    throw attributeError(`time-zone: expected a name such as Europe/Berlin, got ${shortText(timeZone)}.`);
  const zoned = timeZone === null ? input : { ...input, timeZone };
  const zone = typeof zoned["timeZone"] === "string" && isZone(zoned["timeZone"]) ? zoned["timeZone"] : "UTC";
  if (dateRange !== null) return { ...zoned, ...readDateRange(dateRange, zone, nowMs) };
  if (count === undefined || count === null) return zoned;
  if (hasValue(input, "startDate") || hasValue(input, "endDate")) throw attributeError("query: expected either lastDays or dates, got both.");
  return { ...zoned, ...lastDays("query: lastDays", count, zone, nowMs) };
}

export function hasValue(input: QueryInput, name: string): boolean {
  return input[name] !== undefined && input[name] !== null;
}
