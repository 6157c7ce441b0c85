import { z } from "zod";
import { guarded } from "../routing/route.js";
import type { Route } from "../routing/route.js";
import { wireNames } from "../wire/wire-names.js";

const noQuery = z.strictObject({});

/** What there is, in names and numbers. */
export const contentRoutes: readonly Route[] = [
  guarded({
    method: "GET",
    path: "/v1/projects",
    summary: "Lists the projects that the token sees",
    envelope: "problem",
    access: { scope: "analytics:read" },
    query: noQuery,
    body: null,
    answer: z.strictObject({ projects: z.array(z.string()) }),
    etag: true,
    handle: ({ daybook, project }) => Promise.resolve({ projects: daybook.projects().filter((name) => project === null || name === project) }),
  }),
  guarded({
    method: "GET",
    path: "/v1/stats",
    summary: "Numbers about what is stored",
    envelope: "problem",
    access: { scope: "metrics:read", organizationWide: true },
    query: noQuery,
    body: null,
    answer: z.looseObject({ health: z.string(), event_count: z.int() }),
    etag: true,
    handle: async ({ daybook }) => wireNames(await daybook.stats()),
  }),
];
