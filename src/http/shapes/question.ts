import { z } from "zod";
import { MEASURES } from "../../plan/aggregate.js";
import { FIELD_NAMES } from "../../plan/field-names.js";
import type {
  AggregateInput,
  CountEventsInput,
  FilterGroupInput,
  PerDayInput,
  SearchEventsInput,
  UniqueUsersInput,
  UniqueUsersPerDayInput,
} from "../../plan/input.js";

const date = z.string().nullish().meta({ description: "YYYY-MM-DD, or an RFC 3339 timestamp with a zone; inclusive." });

// What a filter must hold and may say is settled in plan/; here stand only the JSON types.
const filter = z
  .strictObject({
    field_name: z.string().nullish(),
    operator: z.string().nullish(),
    value: z.unknown().optional().meta({ type: ["string", "number", "boolean", "array", "null"] }),
  })
  .meta({ required: ["field_name", "operator"] });

const filterGroups = z
  .array(z.strictObject({ filters: z.array(filter).nullish() }).meta({ required: ["filters"] }))
  .nullish()
  .meta({ description: "Groups are OR-ed, the filters of a group are AND-ed." });

const uniqueUsers = { event_name: z.string().nullish(), start_date: date, end_date: date, filter_groups: filterGroups };
const countEvents = { ...uniqueUsers, user_id: z.string().nullish() };
const fill = z.boolean().nullish().meta({ description: "Days without events appear too." });

/** Bodies of the reading endpoints. */
export const questionBodies = {
  countEvents: z.strictObject(countEvents),
  perDay: z.strictObject({ ...countEvents, fill }),
  uniqueUsers: z.strictObject(uniqueUsers),
  uniqueUsersPerDay: z.strictObject({ ...uniqueUsers, fill }),
  aggregate: z.strictObject({
    ...uniqueUsers,
    field: z.enum(FIELD_NAMES).nullish(),
    metadata_field: z.string().nullish(),
    measure: z.enum(MEASURES).nullish().meta({ description: "What is counted of each value. Default events." }),
    limit: z.number().nullish().meta({ description: "At most this many items, the largest. Default: all." }),
  }),
  searchEvents: z.strictObject({ ...countEvents, cursor: z.string().nullish(), limit: z.number().nullish(), all_fields: z.boolean().nullish() }),
};

type BodyOf<K extends keyof typeof questionBodies> = z.infer<(typeof questionBodies)[K]>;

/** The library's input of a body, seeing one project or (null) the whole organization. */
export function uniqueUsersInput(body: BodyOf<"uniqueUsers">, project: string | null): UniqueUsersInput {
  return {
    project,
    eventName: body.event_name ?? null,
    startDate: body.start_date ?? null,
    endDate: body.end_date ?? null,
    filterGroups: filterGroupsInput(body.filter_groups),
  };
}

export function countEventsInput(body: BodyOf<"countEvents">, project: string | null): CountEventsInput {
  return {
    project,
    eventName: body.event_name ?? null,
    userId: body.user_id ?? null,
    startDate: body.start_date ?? null,
    endDate: body.end_date ?? null,
    filterGroups: filterGroupsInput(body.filter_groups),
  };
}

export function perDayInput(body: BodyOf<"perDay">, project: string | null): PerDayInput {
  return { ...countEventsInput(body, project), fill: body.fill ?? null };
}

export function uniqueUsersPerDayInput(body: BodyOf<"uniqueUsersPerDay">, project: string | null): UniqueUsersPerDayInput {
  return { ...uniqueUsersInput(body, project), fill: body.fill ?? null };
}

export function aggregateInput(body: BodyOf<"aggregate">, project: string | null): AggregateInput {
  const by = { field: body.field ?? null, metadataField: body.metadata_field ?? null };
  const counted = { measure: body.measure ?? null, limit: body.limit ?? null };
  return { ...uniqueUsersInput(body, project), ...by, ...counted } as AggregateInput; // plan/ refuses neither and both
}

export function searchEventsInput(body: BodyOf<"searchEvents">, project: string | null): SearchEventsInput {
  return { ...countEventsInput(body, project), cursor: body.cursor ?? null, limit: body.limit ?? null, allFields: body.all_fields ?? false };
}

function filterGroupsInput(groups: BodyOf<"uniqueUsers">["filter_groups"]): FilterGroupInput[] | null {
  if (groups === null || groups === undefined) return null;
  return groups.map((group) => ({
    filters: group.filters?.map((each) => ({
      fieldName: each.field_name,
      operator: each.operator,
      value: each.value,
    })),
  })) as FilterGroupInput[]; // plan/ refuses what is missing, with the same words as for the library
}
