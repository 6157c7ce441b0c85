import { z } from "zod";

const TYPES = ["access", "erasure", "portability", "rectification", "opt_out"] as const;
const STATUSES = ["pending_verification", "submitted", "acknowledged", "resolved"] as const;
const RESOLUTIONS = ["completed", "no_records_found", "partially_completed", "denied", "withdrawn"] as const;
const REGULATIONS = ["gdpr", "ccpa", "lgpd", "other"] as const;

/** Bodies of the privacy request routes. */
export const privacyBodies = {
  create: z.strictObject({
    type: z.enum(TYPES),
    subject: z
      .strictObject({ email: z.string().nullish(), user_id: z.string().nullish() })
      .meta({ description: "Exactly one of email and user_id." }),
    regulation: z.enum(REGULATIONS).nullish().meta({ default: "gdpr" }),
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

/** Answers of the privacy request routes. */
export const privacyAnswers = {
  record,
  list: z.strictObject({ privacy_requests: z.array(record) }),
  bundle: z.string().meta({ description: "One JSON object per line." }),
};
