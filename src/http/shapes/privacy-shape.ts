import { z } from "zod";

const TYPES = ["access", "erasure", "portability", "rectification", "opt_out"] as const;
const STATUSES = ["pending_verification", "submitted", "acknowledged", "resolved"] as const;
const RESOLUTIONS = ["completed", "no_records_found", "partially_completed", "denied", "withdrawn"] as const;
const REGULATIONS = ["gdpr", "ccpa", "lgpd", "other"] as const;

export const privacyBodies = {
  create: z.strictObject({
    type: z.enum(TYPES),
    subject: z
      .strictObject({ email: z.string().nullish(), user_id: z.string().nullish() })
      .meta({ description: "Exactly one of email and user_id." }),
    regulation: z.enum(REGULATIONS).nullish().meta({ default: "gdpr" }),
    project: z.unknown().optional().meta({ description: "Refused: a request is of a person, in all projects." }),
  }),
  step: z.strictObject({}),
  resolve: z.strictObject({ resolution: z.enum(RESOLUTIONS) }),
};

const instant = z.string().meta({ description: "ISO 8601 with milliseconds, UTC." });
const count = z.int().min(0);

const receipt = z.strictObject({
  erased_at: instant,
  events: count,
  identify_calls: count,
  group_calls: count,
  alias_calls: count,
  user_ids: count,
  anonymous_ids: count,
  emails: count,
  dictionary_values: count,
  segments_rewritten: count,
});

const record = z.strictObject({
  id: z.string(),
  type: z.enum(TYPES),
  status: z.enum(STATUSES),
  resolution: z.enum(RESOLUTIONS).nullable(),
  regulation: z.enum(REGULATIONS),
  subject: z.union([
    z.strictObject({ email: z.string() }),
    z.strictObject({ user_id: z.string() }),
    z.strictObject({ erased: z.literal(true) }),
  ]),
  identity_id: z.string().nullable(),
  project: z.null().meta({ description: "Always null: a request covers a person in all projects." }),
  created_at: instant,
  verified_at: instant.nullable(),
  acknowledged_at: instant.nullable(),
  resolved_at: instant.nullable(),
  due_at: instant,
  extended_at: instant.nullable(),
  overdue: z.boolean(),
  receipt: receipt.nullable().meta({ description: "What the erasure removed." }),
});

export const privacyAnswers = {
  record,
  list: z.strictObject({ privacy_requests: z.array(record) }),
  bundle: z.string().meta({ description: "One JSON object per line." }),
};

const deletedCount = z.int().min(0);
const project = z.string().nullish().meta({ description: "Absent or null: all projects." });
const days = z.number().meta({ description: "Days to keep an event after the day (UTC) on which it happened, 1 to 36,525." });

export const deletionBodies = {
  events: z.strictObject({
    before: z.string().meta({
      description: "Events before this time are deleted: a date, meaning its first millisecond (UTC), or an RFC 3339 timestamp.",
    }),
    project,
  }),
  rule: z.strictObject({ project, days }),
  preview: z.strictObject({ project, days: days.nullish() }),
  project: z.strictObject({ project }),
  none: z.strictObject({}),
};

export const deletionAnswers = {
  receipt: z.strictObject({
    deleted_at: z.string().meta({ description: "ISO 8601 with milliseconds, UTC." }),
    events: deletedCount,
    segments_rewritten: deletedCount,
    segments_removed: deletedCount,
    dictionary_values: deletedCount,
  }),
  rules: z.strictObject({ rules: z.array(z.strictObject({ project: z.string().nullable(), days: deletedCount })) }),
  off: z.strictObject({ off: z.boolean().meta({ description: "Whether there was a rule to remove." }) }),
  preview: z.strictObject({
    events: deletedCount,
    days: deletedCount,
    projects: z.array(z.strictObject({
      project: z.string(),
      kept_from: z.string().meta({ description: "YYYY-MM-DD." }),
      events: deletedCount,
      days: deletedCount,
    })),
  }),
};
