import { z } from "zod";
import { answers } from "../answers.js";
import { health } from "../health.js";
import { openapiText } from "../openapi.js";
import type { Route } from "../route.js";

const noQuery = z.strictObject({});

/** What is open to everyone. */
export const operationRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/healthz",
    summary: "Tells whether every organization can read and write",
    envelope: "problem",
    access: null,
    always: true,
    query: noQuery,
    answer: answers.health,
    etag: false,
    open: health,
  },
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
