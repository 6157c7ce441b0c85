import { z } from "zod";
import { expectedInstant, instantOf } from "../../core/schema/instant.js";
import { adjusted, rejected, rejectedCount } from "../shapes/answers.js";

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
  sentAt: z.unknown().optional().meta({ description: "The sender's clock at the time of sending. If it is off by more than five minutes, `timestamp` is corrected." }),
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

/** Bodies of the tracking routes. */
export const trackingBodies = {
  ...calls,
  batch: z.looseObject({
    batch: z.array(z.unknown()).meta({ description: "Calls as for the other tracking routes, each with its `type`." }),
    sentAt: call.sentAt,
    context: object,
  }),
};

const count = z.int().min(0);

/** Answer of the tracking routes. */
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
