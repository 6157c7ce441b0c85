import { z } from "zod";

/* Members that the bodies of several routes share. These schemas check JSON types only; plan/ validates the values. */

export const date = z.string().nullish().meta({ description: "YYYY-MM-DD, or an RFC 3339 timestamp with a zone; inclusive." });

/** The operand of a filter. */
const value = z.unknown().optional().meta({ type: ["string", "number", "boolean", "array", "null"] });

const filter = z
  .strictObject({ field_name: z.string().nullish(), operator: z.string().nullish(), value })
  .meta({ required: ["field_name", "operator"] });

const filterGroups = z
  .array(z.strictObject({ filters: z.array(filter).nullish() }).meta({ required: ["filters"] }))
  .nullish()
  .meta({ description: "Groups are OR-ed, the filters of a group are AND-ed." });

/** Members that select events. */
export const selector = { event_name: z.string().nullish(), filter_groups: filterGroups };

/** A whole number in a body. The range is documentation only; plan/ enforces it. */
export function integer(minimum: number, maximum: number, more: { readonly default?: number; readonly description?: string } = {}) {
  return z.number().meta({ type: "integer", minimum, maximum }).nullish().meta(more);
}

const CONDITIONS = ["did", "did_not", "first_seen", "last_seen", "trait", "company"] as const;

const condition = z
  .strictObject({
    type: z.enum(CONDITIONS),
    ...selector,
    at_least: integer(1, 1_000_000, { default: 1, description: "did: minimum number of matching events." }),
    at_most: z.number().meta({ type: "integer", minimum: 1 }).nullish().meta({
      description: "did: maximum number of matching events. Default: no limit.",
    }),
    start_date: date,
    end_date: date,
    last_days: integer(1, 3_660, { description: "Number of days before now, of 86,400 s each, instead of dates." }),
    field: z.string().nullish().meta({ description: "trait: a trait of the person; company: a trait of the company. Absent for a company: its id." }),
    operator: z.string().nullish().meta({ description: "trait, company: as in a filter." }),
    value,
  })
  .meta({
    description:
      "did, did_not: event_name, filter_groups and a window; did also at_least and at_most. " +
      "first_seen, last_seen: a window. trait, company: field, operator, value.",
  });

const segmentGroups = z
  .array(z.strictObject({ conditions: z.array(condition).nullish() }).meta({ required: ["conditions"] }))
  .nullish()
  .meta({ description: "1 to 20 groups, which are OR-ed, each of 1 to 50 conditions, which are AND-ed." });

/** A segment without a name. */
export const segmentBody = z.strictObject({ groups: segmentGroups }).meta({ required: ["groups"] });

export const savedSegment = z.strictObject({ name: z.string(), groups: z.array(z.unknown()).meta({ description: "As they were sent." }) });

/** The segments of one query, by names that the query chooses. */
export const segments = z
  .record(z.string(), segmentBody.nullable())
  .nullish()
  .meta({ description: "At most 10 segments, by name, for filters on identity_id with the operators in_segment and not_in_segment." });

const names = z.array(z.string()).nullish();

const scopeBody = z.strictObject({
  filter_groups: filterGroups,
  projects: names.meta({ description: "Only events of these projects. Absent: of all." }),
  from: date,
  to: date,
  last_days: integer(1, 3_660, { description: "Today and this many days before, instead of from and to." }),
  queries: names.meta({ description: "Names of queries, as in /v1/query/{query}. Absent: those that show neither events nor people, companies or revenue." }),
  fields: names.meta({ description: "Fields that queries may name and answers show. Absent: every field of an event but its ids and those of people." }),
  segments: names.meta({ description: "Saved segments that filters may name. Absent: none." }),
  time_zone: z.string().nullish(),
  week_start: z.string().nullish(),
});

export const signScopeBody = z
  .strictObject({
    scope: scopeBody,
    expires_in: z.union([z.number(), z.string()]).nullish().meta({ description: "Seconds from now, or a text such as 15m, 1h or 7d. Exactly one of expires_in and expires_at." }),
    expires_at: z.string().nullish().meta({ description: "RFC 3339 timestamp with a zone." }),
    long_lived: z.boolean().nullish().meta({ description: "Whether the token may be valid for 366 days instead of 24 hours." }),
    origins: names.meta({ description: "Pages that may use the token in browsers. Absent: none." }),
  })
  .meta({ required: ["scope"] });
