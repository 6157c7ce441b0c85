import { z } from "zod";
import { MEASURES } from "../../query/plan/reports/aggregate.js";
import { date, segments, selector } from "./filters.js";

const uniqueUsers = { event_name: selector.event_name, start_date: date, end_date: date, filter_groups: selector.filter_groups, segments };
const countEvents = { ...uniqueUsers, user_id: z.string().nullish() };
const fill = z.boolean().nullish().meta({ description: "Whether to include days without events." });

/** Bodies of the routes that count, aggregate and search. */
export const queryBodies = {
  countEvents: z.strictObject(countEvents),
  perDay: z.strictObject({ ...countEvents, fill }),
  uniqueUsers: z.strictObject(uniqueUsers),
  uniqueUsersPerDay: z.strictObject({ ...uniqueUsers, fill }),
  aggregate: z.strictObject({
    ...uniqueUsers,
    field: z.string().nullish().meta({ description: "A field of filters, person.KEY, company.KEY, first_touch.D, last_touch.D, or metadata.KEY." }),
    metadata_field: z.string().nullish(),
    measure: z.enum(MEASURES).nullish().meta({ description: "What is counted for each value. Default: events." }),
    limit: z.number().nullish().meta({ description: "Maximum number of items; the largest are returned. Default: all." }),
  }),
  searchEvents: z.strictObject({ ...countEvents, cursor: z.string().nullish(), limit: z.number().nullish(), all_fields: z.boolean().nullish() }),
};
