import { z } from "zod";
import type {
  AggregateInput,
  CountEventsInput,
  FilterGroupInput,
  PerDayInput,
  SearchEventsInput,
  UniqueUsersInput,
} from "../plan/input.js";

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

const AGGREGATE_FIELDS = [
  "location_country", "location_city", "location_region", "device", "os", "browser", "screen", "language",
  "referrer", "url", "hostname", "user_id",
] as const;

const uniqueUsers = { event_name: z.string().nullish(), start_date: date, end_date: date, filter_groups: filterGroups };
const countEvents = { ...uniqueUsers, user_id: z.string().nullish() };

/** Bodies of the reading endpoints. */
export const questionBodies = {
  countEvents: z.strictObject(countEvents),
  perDay: z.strictObject({ ...countEvents, fill: z.boolean().nullish() }),
  uniqueUsers: z.strictObject(uniqueUsers),
  aggregate: z.strictObject({
    ...uniqueUsers,
    field: z.enum(AGGREGATE_FIELDS).nullish(),
    metadata_field: z.string().nullish(),
  }),
  searchEvents: z.strictObject({ ...countEvents, cursor: z.string().nullish(), limit: z.number().nullish() }),
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

export function aggregateInput(body: BodyOf<"aggregate">, project: string | null): AggregateInput {
  const by = { field: body.field ?? null, metadataField: body.metadata_field ?? null };
  return { ...uniqueUsersInput(body, project), ...by } as AggregateInput; // plan/ refuses neither and both
}

export function searchEventsInput(body: BodyOf<"searchEvents">, project: string | null): SearchEventsInput {
  return { ...countEventsInput(body, project), cursor: body.cursor ?? null, limit: body.limit ?? null };
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
