import { z } from "zod";
import { parameterError } from "../../core/base/errors.js";
import { ROLES, SCOPES } from "../access/token.js";
import { ChangeStream } from "../answer/change-stream.js";
import { guarded } from "../routing/route.js";
import type { Route } from "../routing/route.js";
import { SealedSequences } from "../access/sealed-sequences.js";
import { requireMember } from "../access/served-daybook.js";
import { wireNames } from "../wire/wire-names.js";

const noQuery = z.strictObject({});

/** The last sequence of a listener that reconnects; null: it is new. @throws invalid_parameter */
function lastEventId(header: string | null): number | null {
  if (header === null || header === "") return null;
  if (!/^\d{1,16}$/.test(header)) throw parameterError("invalid_parameter", "Last-Event-ID", `expected a sequence, got ${JSON.stringify(header.slice(0, 80))}`);
  return Number(header);
}

/** Routes about projects, the token, changes and the size of the store. */
export const contentRoutes: readonly Route[] = [
  guarded({
    method: "GET",
    path: "/v1/projects",
    summary: "Lists the projects that the token can see",
    envelope: "problem",
    access: { scope: "analytics:read" },
    query: noQuery,
    body: null,
    answer: z.strictObject({ projects: z.array(z.string()) }),
    etag: true,
    handle: async ({ daybook, project }) => ({ projects: (await daybook.projects()).filter((name) => project === null || name === project) }),
  }),
  guarded({
    method: "GET",
    path: "/v1/token",
    summary: "Shows the role and scopes of the token",
    always: true,
    envelope: "problem",
    access: { scope: null },
    query: noQuery,
    body: null,
    answer: z.strictObject({ organization: z.string(), project: z.string().nullable(), role: z.enum(ROLES), scopes: z.array(z.enum([...SCOPES, "*"])) }),
    etag: true,
    handle: ({ token: { organization, project, role, scopes } }) => Promise.resolve({ organization, project, role, scopes }),
  }),
  guarded({
    method: "GET",
    path: "/v1/projects/{project_id}/changes",
    summary: "Reports changes as server-sent events, each with the newest sequence",
    envelope: "problem",
    access: { scope: "analytics:read" },
    query: noQuery,
    body: null,
    answer: z.string(),
    format: "events",
    etag: false,
    handle: ({ daybook, project, token }, { header, isWelcome }) => {
      const given = lastEventId(header("last-event-id"));
      const changing = requireMember(daybook, "changes");
      if (token.project === null) return Promise.resolve(new ChangeStream((signal) => changing.changes({ signal, after: given }), { project, isWelcome }));
      const sequences = new SealedSequences(daybook, token.project);
      // With an unknown number, assume that changes were missed.
      const after = given === null ? null : (sequences.opened(given) ?? 0);
      const shown = (sequence: number) => sequences.sealed(sequence);
      return Promise.resolve(new ChangeStream((signal) => changing.changes({ signal, after }), { project, isWelcome, shown }));
    },
  }),
  guarded({
    method: "GET",
    path: "/v1/stats",
    summary: "Statistics about the stored data",
    envelope: "problem",
    access: { scope: "metrics:read", organizationWide: true },
    query: noQuery,
    body: null,
    answer: z.looseObject({ health: z.string(), event_count: z.int() }),
    etag: true,
    handle: async ({ daybook }) => wireNames(await requireMember(daybook, "stats").stats()),
  }),
];
