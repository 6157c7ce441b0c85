import { z } from "zod";

const count = z.int().min(0);
const project = z.string().nullish().meta({ description: "Absent or null: all projects." });
const days = z.number().meta({ description: "Days to keep an event after the day (UTC) on which it happened, 1 to 36,525." });

/** Bodies of the routes that delete events and set retention rules. */
export const deletionBodies = {
  events: z.strictObject({
    before: z.string().meta({ description: "Events before this time are deleted: a date, meaning its first millisecond (UTC), or an RFC 3339 timestamp." }),
    project,
  }),
  rule: z.strictObject({ project, days }),
  preview: z.strictObject({ project, days: days.nullish() }),
  project: z.strictObject({ project }),
  none: z.strictObject({}),
};

/** Answers of the routes that delete events and set retention rules. */
export const deletionAnswers = {
  receipt: z.strictObject({
    deleted_at: z.string().meta({ description: "ISO 8601 with milliseconds, UTC." }),
    events: count,
    segments_rewritten: count,
    segments_removed: count,
    dictionary_values: count,
  }),
  rules: z.strictObject({ rules: z.array(z.strictObject({ project: z.string().nullable(), days: count })) }),
  off: z.strictObject({ off: z.boolean().meta({ description: "Whether there was a rule to remove." }) }),
  preview: z.strictObject({
    events: count,
    days: count,
    projects: z.array(z.strictObject({ project: z.string(), kept_from: z.string().meta({ description: "YYYY-MM-DD." }), events: count, days: count })),
  }),
};
