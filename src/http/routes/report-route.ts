import type { z } from "zod";
import { guarded } from "../routing/route.js";
import type { Caller, RouteRequest, GuardedRoute } from "../routing/route.js";
import type { RequiredAccess } from "../access/access.js";
import { wireNames } from "../wire/wire-names.js";

/** A GET route for a report about people or money. */
export function report<Query extends z.ZodObject>(
  access: RequiredAccess,
  path: string,
  summary: string,
  query: Query,
  answer: z.ZodType,
  ask: (caller: Caller, exchange: RouteRequest<unknown, z.infer<Query>>) => Promise<object>,
): GuardedRoute {
  return guarded({
    method: "GET",
    path,
    summary,
    envelope: "problem",
    access,
    query,
    body: null,
    answer,
    etag: true,
    handle: async (caller, exchange) => wireNames(await ask(caller, exchange)),
  });
}
