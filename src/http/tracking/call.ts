import { z } from "zod";
import { expectedInstant, instantOf, isInstant } from "../../core/schema/instant.js";
import { adjusted, rejected, rejectedCount } from "../shapes/answers.js";
import { LIMITS } from "../../core/base/limits.js";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import { DaybookError, type ErrorCode } from "../../core/base/errors.js";
import { digitsOf } from "../../core/base/json-text.js";
import type { HeaderNotice } from "../answer/headers.js";
import type { EventInput } from "../../core/schema/event.js";
import { evictFor } from "../access/authenticator.js";
import type { SenderClock } from "../routing/route.js";

/** Calls of the public tracking spec that become events; those of `RECORD_KINDS` become identity records. */
export const EVENT_KINDS = ["track", "page", "screen"] as const;
export const RECORD_KINDS = ["identify", "group", "alias"] as const;
export type EventKind = (typeof EVENT_KINDS)[number];
export type RecordKind = (typeof RECORD_KINDS)[number];
export type CallKind = EventKind | RecordKind;

export const CALL_KINDS: readonly CallKind[] = [...EVENT_KINDS, ...RECORD_KINDS];

const TEXT_OR_NUMBER = "expected text or a number";
export const id = z.union([z.string(), z.number()], TEXT_OR_NUMBER).nullish();
const requiredId = z.union([z.string().min(1), z.number()], "expected text of at least one character, or a number");
export const object = z.record(z.string(), z.unknown()).nullish();
export const instant = z
  .union([z.string(), z.number()], { error: ({ input }) => expectedInstant(input) })
  .nullish()
  .refine((value) => value === null || value === undefined || instantOf(value) !== null, { error: ({ input }) => expectedInstant(input) });

const call = {
  messageId: z.string().nullish().meta({ description: "A call that is sent again with the same id is stored once." }),
  userId: id,
  anonymousId: id,
  timestamp: instant.meta({ description: "RFC 3339 with a zone, or epoch milliseconds from 1973 on; absent: `originalTimestamp`, else now." }),
  originalTimestamp: instant.meta({ description: "What RudderStack sends instead of `timestamp`." }),
  sentAt: z.unknown().optional().meta({
    description: "The sender's clock at the time of sending. If it is off by more than five minutes, `timestamp` is corrected.",
  }),
  context: object,
};
const view = { ...call, name: z.string().nullish(), category: z.string().nullish(), properties: object };

// Client libraries add members of their own, so unknown ones are ignored.
const calls = {
  track: z.looseObject({ ...call, event: z.string().min(1, "expected at least one character"), properties: object }),
  page: z.looseObject(view),
  screen: z.looseObject(view),
  identify: z.looseObject({ ...call, traits: object }),
  group: z.looseObject({ ...call, groupId: requiredId, traits: object }),
  alias: z.looseObject({ ...call, previousId: requiredId, userId: requiredId }),
};

export const trackingBodies = {
  ...calls,
  batch: z.looseObject({
    batch: z.array(z.unknown()).meta({ description: "Calls as for the other tracking routes, each with its `type`." }),
    sentAt: call.sentAt,
    context: object,
  }),
};

const count = z.int().min(0);

export const trackingAnswer = z.strictObject({
  success: z.literal(true),
  accepted: count,
  duplicates: count,
  rejected,
  rejectedCount,
  adjusted,
});

/** A call that has passed its schema, with the members of all kinds. */
export interface TrackingCall {
  readonly messageId?: string | null;
  readonly userId?: string | number | null;
  readonly anonymousId?: string | number | null;
  readonly groupId?: string | number;
  readonly previousId?: string | number;
  readonly timestamp?: string | number | null;
  readonly originalTimestamp?: string | number | null;
  readonly sentAt?: unknown;
  readonly event?: string;
  readonly name?: string | null;
  readonly category?: string | null;
  readonly properties?: Readonly<Record<string, unknown>> | null;
  readonly traits?: Readonly<Record<string, unknown>> | null;
  readonly context?: Readonly<Record<string, unknown>> | null;
}

/** Converts seconds, which some clients send, to epoch ms; null if that is no valid time. */
function instantOfSeconds(seconds: number): number | null {
  return isInstant(seconds * 1_000) ? Math.floor(seconds * 1_000) : null;
}

/** Lower numbers are seconds, up to the year 5138; others are milliseconds, from 1973 on. */
const SECONDS_MAX = 100_000_000_000;

/** Epoch ms of seconds, milliseconds or text; null for other values. */
export function instantOfAny(time: unknown): number | null {
  return typeof time === "number" && time < SECONDS_MAX ? instantOfSeconds(time) : instantOf(time);
}

/**
 * Time of a call in epoch ms by our clock; null if it has none. It is corrected only if the sender's clock is wrong by more than the limit.
 * @param clockOffsetMs our clock minus the sender's; null: unknown
 */
export function callTimeMs(timestamp: unknown, clockOffsetMs: number | null): number | null {
  const timestampMs = instantOf(timestamp);
  if (timestampMs === null || clockOffsetMs === null || Math.abs(clockOffsetMs) <= SERVER_LIMITS.clockOffsetMs) return timestampMs;
  return Math.min(Math.max(timestampMs + clockOffsetMs, 0), LIMITS.instantMaxMs - 1);
}

/** Errors of a single item; any other error fails the whole request, and the sender retries. */
const FAULTS: readonly ErrorCode[] = ["invalid_parameter", "unknown_parameter", "invalid_event", "suppressed", "project_not_allowed"];

/** Returns the error of a single item. @throws any other error */
export function faultOf(thrown: unknown): DaybookError {
  if (thrown instanceof DaybookError && FAULTS.includes(thrown.code)) return thrown;
  throw thrown;
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** The value itself if it is an object, else `{}`. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value itself if it is a text of at least one character, else null. */
export function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** An id as text, also if it was sent as a number; null for other values. */
export function idOf(value: unknown): string | null {
  return typeof value === "number" && Number.isFinite(value) ? digitsOf(value) : textOf(value);
}

export function without(members: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name)));
}

/** Screen size in pixels, as `WIDTHxHEIGHT`; null if either is not a number. */
export function screenOf(width: unknown, height: unknown): string | null {
  return typeof width === "number" && typeof height === "number" ? `${width}x${height}` : null;
}

/** Texts that programs send for a missing id, trimmed and in lower case. As ids they would merge unrelated people. */
const PLACEHOLDER_IDS: ReadonlySet<string> = new Set(["", "undefined", "null", "nan", "[object object]", "none", "nil", "anonymous", "guest", "0"]);

/** Whether an id is a placeholder. An absent one and `""` are not. */
export function isPlaceholderId(id: unknown): boolean {
  return (typeof id === "number" || (typeof id === "string" && id !== "")) && PLACEHOLDER_IDS.has(String(id).trim().toLowerCase());
}

/** The anonymous id under which traits of a company without a person are stored. */
export function companyProxyId(companyId: string): string {
  return `$company_${companyId}`;
}

/** Replaces placeholder ids by null. @param onNoId called for each of them */
export function withoutPlaceholderIds<T extends object>(value: T, names: readonly (keyof T & string)[], onNoId: (noId: HeaderNotice) => void): T {
  const replaced = names.filter((name) => isPlaceholderId(value[name]));
  for (const name of replaced) onNoId({ code: "no_id", param: name, name: String(value[name]) });
  return replaced.length === 0 ? value : { ...value, ...Object.fromEntries(replaced.map((name) => [name, null])) };
}

/** Replaces placeholder ids in a received item; null for a record that then lacks an id it needs. */
export function withUsableIds<Item extends ReceivedItem>(item: Item, onNoId: (noId: HeaderNotice) => void): Item | null {
  if ("event" in item) return { ...item, event: withoutPlaceholderIds(item.event, ["userId", "anonymousId", "companyId"], onNoId) };
  const call = withoutPlaceholderIds(item.call, ["userId", "anonymousId", "groupId", "previousId"], onNoId);
  // A record that lacks an id from the start is refused when it is stored.
  if (call === item.call) return item;
  const hasPerson = Boolean(call.userId) || (item.record !== "alias" && Boolean(call.anonymousId));
  const hasOther = item.record === "identify" || Boolean(item.record === "group" ? call.groupId : call.previousId);
  if (!hasOther) return null;
  if (hasPerson) return { ...item, call };
  // Traits of a company are stored even without a person.
  const hasTraits = item.record === "group" && Object.keys(objectOf(call.traits)).length > 0;
  return hasTraits ? { ...item, call: { ...call, anonymousId: companyProxyId(String(call.groupId)) } } : null;
}

/** A received event; a numeric time is in ms. */
export interface ReceivedEvent {
  readonly event: EventInput;
}

export interface ReceivedRecord {
  readonly record: RecordKind;
  readonly call: TrackingCall;
  readonly createdAtMs: number | null;
}

export type ReceivedItem = ReceivedEvent | ReceivedRecord;

/**
 * Measures the clock offsets of senders. A failed request is resent, often with its first `sentAt`, so the offsets of failed requests are
 * remembered by the ids of their items.
 */
export class SenderClocks {
  /** Offsets by organization and id, in ms. */
  readonly #offsetsMs = new Map<string, number>();

  /** @param receivedAtMs time of receipt, epoch ms */
  of(organization: string, receivedAtMs: number): SenderClock {
    const measured: { readonly keys: readonly string[]; readonly offsetMs: number }[] = [];
    return {
      offsetMs: (sentAt, ids) => {
        const sentAtMs = instantOf(sentAt);
        if (sentAtMs === null) return null;
        const keys = ids.flatMap((id) => (typeof id === "string" && id.length <= SERVER_LIMITS.clockIdChars ? [`${organization}\0${id}`] : []));
        // Transit time only adds to the offset, so the smallest one is the most accurate.
        const offsetMs = this.#offsetsMs.size === 0 ? receivedAtMs - sentAtMs : this.#smallest(keys, receivedAtMs - sentAtMs);
        measured.push({ keys, offsetMs });
        return offsetMs;
      },
      failed: () => {
        for (const { keys, offsetMs } of measured) {
          for (const key of keys) evictFor(this.#offsetsMs, key, SERVER_LIMITS.rememberedClockCount).set(key, offsetMs);
        }
      },
    };
  }

  #smallest(keys: readonly string[], offsetMs: number): number {
    return keys.reduce((min, key) => Math.min(min, this.#offsetsMs.get(key) ?? min), offsetMs);
  }
}
