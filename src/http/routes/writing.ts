import { z } from "zod";
import { DaybookError } from "../../core/base/errors.js";
import { withIdsOfJson } from "../../core/base/json-text.js";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import type { EventInput, IngestResult } from "../../core/schema/event.js";
import type { Daybook } from "../../engine/daybook.js";
import type { RecordInput } from "../../core/schema/record.js";
import { namedRejections } from "../answer/error-reply.js";
import { answers } from "../shapes/answers.js";
import { eventsBody, recordsBody } from "../shapes/bodies.js";
import { guarded, noQuery, objectBody, type GuardedRoute, type Route } from "../routing/route.js";
import { hideSuppressed, type Caller } from "../access/rights.js";
import type { TokenScope } from "../access/token.js";
import { trackingAnswer, trackingBodies, type CallKind } from "../tracking/call.js";
import { storeBatch, storeCall } from "../tracking/intake.js";

type Stored = Awaited<ReturnType<Daybook["ingestRecords"]>>;

/** Types of records that change all projects: they merge ids, undo records, or add projects. Tokens of one project may not send them. */
const ORGANIZATION_TYPES: readonly unknown[] = ["alias", "unlink", "project"];

/**
 * Stores records; those that a token of one project may not send are returned in `rejected`.
 * Record ids belong to the organization, so such a token must not learn whether one existed: a duplicate counts as accepted.
 * @throws what ingestRecords throws
 */
async function storeRecords(records: readonly unknown[], { daybook, project, token }: Caller): Promise<Stored> {
  // Each record is checked when it is stored; a bad one is returned in `rejected`.
  const inputs = (records as readonly RecordInput[]).map(withIdsOfJson);
  if (project === null) return await daybook.ingestRecords(inputs);
  const isRefused = inputs.map(needsOrganization);
  const sentIndexes = [...inputs.keys()].filter((index) => !isRefused[index]);
  const stored = await daybook.ingestRecords(inputs.filter((_, index) => !isRefused[index]));
  const { accepted, duplicates, rejected, adjusted } = hideSuppressed(stored, token);
  const refused = [...inputs.keys()].filter((index) => isRefused[index]).map((index) => ({ index, ...REFUSED }));
  const withSentIndex = <T extends { readonly index: number }>(items: readonly T[]) =>
    items.map((item) => ({ ...item, index: sentIndexes[item.index] ?? 0 }));
  const allRejected = [...refused, ...withSentIndex(rejected)].sort((a, b) => a.index - b.index);
  return { accepted: accepted + duplicates, duplicates: 0, rejected: allRejected, adjusted: withSentIndex(adjusted) };
}

const REFUSED = {
  code: "organization_token_required",
  message: "type: expected an organization token for an alias, an unlink or a project, got a project token",
} as const;

function needsOrganization(record: unknown): boolean {
  return typeof record === "object" && record !== null && ORGANIZATION_TYPES.includes((record as { type?: unknown }).type);
}

/** A route of the public tracking spec, for any client library that follows it. */
function tracking(kind: CallKind | "batch", summary: string, scope: TokenScope, organizationWide = false): GuardedRoute {
  return guarded({
    method: "POST",
    path: `/v1/${kind}`,
    summary,
    access: { scope, organizationWide, basic: true },
    body: {
      schema: trackingBodies[kind],
      maxByteLength: kind === "batch" ? SERVER_LIMITS.writeBodyBytes : SERVER_LIMITS.queryBodyBytes,
      list: null,
      isWritten: true,
      anyTextType: true,
    },
    answer: trackingAnswer,
    keepsNames: true,
    handle: (caller, request) => (kind === "batch" ? storeBatch(caller, request) : storeCall(kind, caller, request)),
  });
}

/** Picks the members of the answer, because a custom Daybook may return others too. */
function answerOf({ accepted, duplicates, rejected, adjusted }: IngestResult): z.infer<typeof answers.ingest> {
  return {
    accepted,
    duplicates,
    ...namedRejections(rejected),
    adjusted: adjusted.map(({ index, createdAt }) => ({ index, createdAt })),
  };
}

export const writingRoutes: readonly Route[] = [
  guarded({
    method: "POST",
    path: "/v1/events",
    summary: "Stores events; responds when they are durable",
    access: { scope: "events:write" },
    query: z.strictObject({
      project: z.string().optional().meta({
        description: "The only project that the events may belong to, and the project of events that name none.",
      }),
    }),
    body: { schema: eventsBody, maxByteLength: SERVER_LIMITS.writeBodyBytes, list: "events", isWritten: true, arrow: true },
    answer: answers.ingest,
    handle: async ({ daybook, project: tokenProject, token }, { body, query }) => {
      const project = query.project ?? tokenProject;
      if (tokenProject !== null && project !== tokenProject)
        throw new DaybookError("project_not_found", "project: no such project", { param: "project" });
      // Each event is checked when it is stored; a bad one is returned in `rejected`.
      const events = (body.events as readonly EventInput[]).map(withIdsOfJson);
      return answerOf(hideSuppressed(await daybook.ingest(events, { ...(project === null ? {} : { project }), onRejected: "list" }), token));
    },
  }),
  guarded({
    method: "POST",
    path: "/v1/records",
    summary: "Stores identity records; responds when they are durable",
    access: { scope: "identities:write" },
    body: { schema: recordsBody, maxByteLength: SERVER_LIMITS.writeBodyBytes, list: "records", isWritten: true },
    answer: answers.ingest,
    keepsNames: true,
    handle: async (caller, { body }) => answerOf(await storeRecords(body.records, caller)),
  }),
  guarded({
    method: "POST",
    path: "/v1/records/{id}/unlink",
    summary: "Undoes a stored record, as if it had never been received",
    access: { scope: "identities:write", organizationWide: true },
    body: objectBody(noQuery),
    answer: z.strictObject({ linkId: z.string() }),
    keepsNames: true,
    handle: async ({ daybook }, { params }) => {
      const linkId = params["id"] ?? "";
      await daybook.unlink(linkId);
      return { linkId };
    },
  }),
  tracking("identify", "Links ids, an email and traits of a person", "identities:write"),
  tracking("group", "Makes a person a member of a company", "identities:write"),
  tracking("alias", "Merges an id into a user", "identities:write", true),
  tracking("track", "Stores an event", "events:write"),
  tracking("page", "Stores a page view", "events:write"),
  tracking("screen", "Stores the view of a screen", "events:write"),
  tracking("batch", "Stores calls of every kind", "events:write"),
];
