import { z } from "zod";
import { authorizeField } from "../access/access.js";
import { answers, wireEvent } from "../shapes/answers.js";
import type { Envelope } from "../answer/error-reply.js";
import {
  aggregateInput,
  countEventsInput,
  perDayInput,
  questionBodies,
  searchEventsInput,
  uniqueUsersInput,
  uniqueUsersPerDayInput,
} from "../shapes/question.js";
import { guarded, JSON_BYTE_LENGTH } from "../routing/route.js";
import type { Caller, Exchange, GuardedRoute, Route } from "../routing/route.js";
import type { Scope } from "../access/token.js";

const V1_ANALYTICS = "/v1/projects/{project_id}/analytics";

type Handle<Body extends z.ZodObject> = (caller: Caller, exchange: Exchange<z.infer<Body>, unknown>) => Promise<unknown>;

/** A reading endpoint that takes its parameters in a body. */
function question<Body extends z.ZodObject>(
  path: string,
  summary: string,
  body: Body,
  answer: z.ZodType,
  handle: Handle<Body>,
  scope: Scope = "analytics:read",
): GuardedRoute {
  const envelope: Envelope = path.startsWith("/v1/") ? "problem" : "older";
  return guarded({
    method: "POST",
    path,
    summary,
    envelope,
    access: { scope },
    query: z.strictObject({}),
    body: { schema: body, maxByteLength: JSON_BYTE_LENGTH, list: null },
    answer,
    etag: true,
    handle,
  });
}

const ok = (data: unknown) => ({ status: "OK", data });

const countEvents: Handle<typeof questionBodies.countEvents> = async ({ daybook, project }, { body, signal, onNotice }) =>
  ok(await daybook.countEvents(countEventsInput(body, project), { signal, onNotice }));
const countUniqueUsers: Handle<typeof questionBodies.uniqueUsers> = async ({ daybook, project }, { body, signal, onNotice }) =>
  ok(await daybook.countUniqueUsers(uniqueUsersInput(body, project), { signal, onNotice }));

/** Counts, aggregates and search. */
export const analyticsRoutes: readonly Route[] = [
  question("/analytics/count-events", "Counts events", questionBodies.countEvents, answers.count, countEvents),
  question(
    "/analytics/count-events-per-day",
    "Counts events per UTC day",
    questionBodies.perDay,
    answers.perDay,
    async ({ daybook, project }, { body, signal, onNotice }) =>
      ok(await daybook.countEventsPerDay(perDayInput(body, project), { signal, onNotice })),
  ),
  question("/analytics/count-unique-users", "Counts unique users", questionBodies.uniqueUsers, answers.count, countUniqueUsers),
  question(
    "/analytics/count-unique-users-per-day",
    "Counts unique users per UTC day",
    questionBodies.uniqueUsersPerDay,
    answers.perDay,
    async ({ daybook, project }, { body, signal, onNotice }) =>
      ok(await daybook.countUniqueUsersPerDay(uniqueUsersPerDayInput(body, project), { signal, onNotice })),
  ),
  question(
    "/analytics/aggregate",
    "Counts events, or people, by the values of a field",
    questionBodies.aggregate,
    answers.aggregate,
    async ({ token, daybook, project }, { body, signal, onNotice }) => {
      authorizeField(body.field, token);
      return ok(await daybook.aggregate(aggregateInput(body, project), { signal, onNotice }));
    },
  ),
  question(
    "/search-events",
    "Lists events, newest first",
    questionBodies.searchEvents,
    answers.search,
    async ({ daybook, project }, { body, signal, onNotice }) => {
      const page = await daybook.searchEvents(searchEventsInput(body, project), { signal, onNotice });
      return { cursor: page.cursor, events: page.events.map(wireEvent) };
    },
    "events:read",
  ),
  question(`${V1_ANALYTICS}/count-events`, "Counts events of a project", questionBodies.countEvents, answers.count, countEvents),
  question(
    `${V1_ANALYTICS}/count-events-running-total-per-day`,
    "Counts events of a project, cumulative per UTC day",
    questionBodies.perDay,
    answers.perDay,
    async ({ daybook, project }, { body, signal, onNotice }) =>
      ok(await daybook.countEventsRunningTotalPerDay(perDayInput(body, project), { signal, onNotice })),
  ),
  question(
    `${V1_ANALYTICS}/count-unique-users`,
    "Counts unique users of a project",
    questionBodies.uniqueUsers,
    answers.count,
    countUniqueUsers,
  ),
];
