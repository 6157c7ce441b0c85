import { z } from "zod";
import { parameterError, shown } from "../../core/base/errors.js";
import { ROLES, SCOPES } from "../access/token.js";
import { ChangeStream } from "../answer/change-stream.js";
import { guarded, ofToken, objectBody, type Route } from "../routing/route.js";
import { SealedSequences } from "../access/sealed-sequences.js";
import { authorize, requireMember } from "../access/rights.js";
import type { Authorization } from "../../engine/query/authorization.js";
import { wireNames } from "../wire/wire-names.js";
import { compareCodePoints } from "../../core/base/text-order.js";
import { isoOf, parseTimestamp } from "../../core/base/time.js";
import { parseUuid, uuidText } from "../../core/base/uuid.js";
import type { ExportInput } from "../../query/plan/input.js";
import { AFTER, type ExportPlace, type ExportedRecordPlace, type PagedExports } from "../../engine/exports/place.js";
import type { ExportedEvent } from "../../core/schema/event.js";
import type { StoredRecord } from "../../core/schema/record.js";
import { bytesOfLines, pageOfLines } from "../answer/json-pieces.js";
import { inProject } from "./insights.js";
import { withAuthorization } from "./run-query.js";

/** The last sequence that a reconnecting client got; null: it is new. @throws invalid_parameter */
function lastEventId(header: string | null): number | null {
  if (header === null || header === "") return null;
  if (!/^\d{1,16}$/.test(header))
    throw parameterError("invalid_parameter", "Last-Event-ID", `expected a sequence, got ${JSON.stringify(header.slice(0, 80))}`);
  return Number(header);
}

export const contentRoutes: readonly Route[] = [
  guarded({
    path: "/v1/projects",
    summary: "Lists the projects that the token can see",
    access: { scope: "analytics:read" },
    answer: z.strictObject({ projects: z.array(z.string()) }),
    etag: true,
    handle: async ({ daybook, project }) => ({ projects: (await daybook.projects()).filter((name) => project === null || name === project) }),
  }),
  ofToken({
    path: "/v1/token",
    summary: "Shows the role and scopes of the token",
    always: true,
    access: { scope: null },
    answer: z.strictObject({
      organization: z.string(),
      project: z.string().nullable(),
      role: z.enum(ROLES),
      scopes: z.array(z.enum([...SCOPES, "*"])),
    }),
    etag: true,
    handle: ({ token: { organization, project, role, scopes } }) => Promise.resolve({ organization, project, role, scopes }),
  }),
  guarded({
    path: "/v1/projects/{project_id}/changes",
    summary: "Reports changes as server-sent events, each with the newest sequence",
    access: { scope: "analytics:read" },
    answer: z.string(),
    format: "events",
    handle: ({ daybook, project, token }, { header, isTokenValid }) => {
      const lastId = lastEventId(header("last-event-id"));
      const followed = requireMember(daybook, "changes");
      if (token.project === null) {
        return Promise.resolve(new ChangeStream((signal) => followed.changes({ signal, after: lastId }), { project, isTokenValid }));
      }
      const sequences = new SealedSequences(daybook, token.project);
      // After an unknown number, assume that changes were missed.
      const after = lastId === null ? null : (sequences.open(lastId) ?? 0);
      const mapSequence = (sequence: number) => sequences.seal(sequence);
      return Promise.resolve(new ChangeStream((signal) => followed.changes({ signal, after }), { project, isTokenValid, mapSequence }));
    },
  }),
  guarded({
    path: "/v1/stats",
    summary: "Statistics about the stored data",
    access: { scope: "metrics:read", organizationWide: true },
    answer: z.looseObject({ health: z.string(), event_count: z.int() }),
    etag: true,
    handle: async ({ daybook }) => wireNames(await requireMember(daybook, "stats").stats()),
  }),
];

const RECORD_TYPES = ["identify", "group", "alias", "unlink"] as const;
const answer = z.string().meta({ description: "One JSON object per line; no line if there are no more." });
const exportRoute = { method: "POST", answer, format: "ndjson", keepsNames: true } as const;

const eventPlace = z.strictObject({ createdAt: z.string(), id: z.string(), project: z.string() });
const recordPlace = z.strictObject({
  type: z.enum(["project", ...RECORD_TYPES]),
  name: z.string().optional(),
  createdAt: z.string().optional(),
  id: z.string().optional(),
});

/** Routes that export all events and records in pages, oldest first: each page continues after the last item of the previous one. */
export const exportRoutes: readonly Route[] = [
  guarded({
    ...exportRoute,
    path: "/v1/exports/events",
    summary: "Exports a page of all events, oldest first",
    access: { scope: "events:read" },
    body: objectBody(z.looseObject({ after: eventPlace.nullish() })),
    handle: async (caller, { body: { after, ...input }, signal, onSequence }) => {
      const place = after ? { ...timePlace(after), project: after.project } : null;
      const isIncremental = isGiven(input, "afterSequence") || isGiven(input, "upToSequence");
      // Sequences count what all projects store.
      if (isIncremental) authorize({ scope: null, organizationWide: true }, caller.token, "afterSequence, upToSequence: ");
      if (place !== null && isGiven(input, "afterSequence") && !isGiven(input, "upToSequence"))
        throw parameterError("invalid_parameter", "upToSequence", "expected the header Daybook-Sequence of the first page, got none");
      const exports: PagedExports = caller.daybook;
      const notice = isIncremental ? { onSequence } : {};
      const page = (authorization: Authorization) => {
        // The Daybook checks the other members.
        const events = exports.exportEvents({ ...(inProject(input, caller.project) as ExportInput), [AFTER]: place }, { signal, ...notice, ...authorization });
        return bytesOfLines(pageOfLines(events, (event) => place !== null && isNotAfterEvent(event, place), signal), signal);
      };
      return isGiven(input, "filterGroups") || isGiven(input, "segments") ? await withAuthorization(input, caller, page) : await page({});
    },
  }),
  guarded({
    ...exportRoute,
    path: "/v1/exports/deletions",
    summary: "Exports what was deleted since a sequence, oldest first",
    access: { scope: "events:read", organizationWide: true },
    body: objectBody(z.strictObject({ afterSequence: z.int() })),
    handle: ({ daybook }, { body, signal }) => {
      const deletions = requireMember(daybook, "exportDeletions").exportDeletions(body, { signal });
      return bytesOfLines(linesOf(deletions), signal);
    },
  }),
  guarded({
    ...exportRoute,
    path: "/v1/exports/records",
    summary: "Exports a page of all projects and identity records, oldest first",
    access: { scope: "identities:read", role: "admin", organizationWide: true },
    body: objectBody(z.strictObject({ after: recordPlace.nullish() })),
    handle: ({ daybook }, { body: { after }, signal }) => {
      const place = after ? recordPlaceOf(after) : null;
      const exports: PagedExports = daybook;
      const records = exports.exportRecords({ [AFTER]: place, signal });
      return bytesOfLines(pageOfLines(records, (record) => place !== null && isNotAfterRecord(record, place), signal), signal);
    },
  }),
];

function isGiven(input: Readonly<Record<string, unknown>>, name: string): boolean {
  return (input[name] ?? null) !== null;
}

async function* linesOf(items: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const item of items) yield `${JSON.stringify(item)}\n`;
}

type TimePlace = Pick<ExportPlace, "createdAtMs" | "id">;

function timePlace({ createdAt = "", id = "" }: { readonly createdAt?: string | undefined; readonly id?: string | undefined }): TimePlace {
  const createdAtMs = parseTimestamp(createdAt);
  if (createdAtMs === null)
    throw parameterError("invalid_parameter", "after.createdAt", `expected the time of the last item of a page, got ${shown(createdAt)}`);
  const bytes = parseUuid(id);
  if (bytes === null) throw parameterError("invalid_parameter", "after.id", `expected the id of the last item of a page, got ${shown(id)}`);
  return { createdAtMs, id: bytes };
}

function recordPlaceOf(after: z.infer<typeof recordPlace>): ExportedRecordPlace {
  return after.type === "project" ? { name: after.name ?? "" } : { ...timePlace(after), isUnlink: after.type === "unlink" };
}

/** Events with the same time and id are ordered by project. */
function isNotAfterEvent(event: ExportedEvent, place: ExportPlace): boolean {
  const isSame = event.createdAt === isoOf(place.createdAtMs) && event.id === uuidText(place.id);
  return isSame ? compareCodePoints(event.project ?? "", place.project) <= 0 : isNotAfter(event, place);
}

/** Times and ids have a constant length, so they can be compared as texts. */
function isNotAfter(item: { readonly createdAt: string; readonly id: string }, place: TimePlace): boolean {
  const [createdAt, id] = [isoOf(place.createdAtMs), uuidText(place.id)];
  return item.createdAt < createdAt || (item.createdAt === createdAt && item.id <= id);
}

/** Projects come first, by name; an unlink comes right after the record with its time and id. */
function isNotAfterRecord(record: StoredRecord, place: ExportedRecordPlace): boolean {
  if ("name" in place) return record.type === "project" && compareCodePoints(record.name, place.name) <= 0;
  if (record.type === "project") return true;
  const id = record.type === "unlink" ? record.linkId : record.id;
  const isSame = record.createdAt === isoOf(place.createdAtMs) && id === uuidText(place.id);
  return isSame ? place.isUnlink || record.type !== "unlink" : isNotAfter({ createdAt: record.createdAt, id }, place);
}
