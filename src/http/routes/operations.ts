import { z } from "zod";
import { answers } from "../shapes/answers.js";
import { health, metricsText } from "../operations/metrics.js";
import { openapiText } from "../operations/openapi.js";
import { guarded, noQuery, type Route } from "../routing/route.js";

export const operationRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/healthz",
    summary: "Reports whether every organization can be read and written",
    envelope: "problem",
    access: null,
    always: true,
    query: noQuery,
    answer: answers.health,
    etag: false,
    open: health,
  },
  guarded({
    path: "/metrics",
    summary: "Metrics of the organization and the process, for Prometheus",
    access: { scope: "metrics:read", organizationWide: true },
    answer: z.string(),
    format: "text",
    handle: ({ daybook, token: { organization } }, { counts, collected, processGauges }) => {
      const collectedCounts = { events: collected.events.of(organization), withheld: collected.withheld.of(organization) };
      return metricsText(daybook, counts.of(organization), counts.noIdsOf(organization), collectedCounts, processGauges());
    },
  }),
  {
    method: "GET",
    path: "/openapi.json",
    summary: "Describes every route (OpenAPI 3.1)",
    envelope: "problem",
    access: null,
    query: noQuery,
    answer: answers.openapi,
    etag: true,
    open: ({ routes: all }) => ({ status: 200, text: openapiText(all) }),
  },
];
