import { z } from "zod";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import type { SavedSegment } from "../../engine/query/saved-segments.js";
import type { PeopleSegment } from "../../query/plan/input.js";
import type { RequiredAccess } from "../access/access.js";
import { guarded, type Route } from "../routing/route.js";
import { requireMember } from "../access/query-rights.js";
import { savedSegment, segmentBody } from "../shapes/filters.js";
import { libraryInput } from "../wire/library-input.js";
import { wireNames } from "../wire/wire-names.js";

const PATH = "/v1/segments";
const READ: RequiredAccess = { scope: "analytics:read", organizationWide: true };
const WRITE: RequiredAccess = { scope: "segments:write", organizationWide: true };
const noQuery = z.strictObject({});

/** Routes for saved segments, which all queries may use. */
export const segmentRoutes: readonly Route[] = [
  guarded({
    method: "GET",
    path: PATH,
    summary: "Lists the saved segments by name",
    envelope: "problem",
    access: READ,
    query: noQuery,
    body: null,
    answer: z.strictObject({ segments: z.array(savedSegment) }),
    etag: true,
    handle: async ({ daybook }) => ({ segments: (await requireMember(daybook, "segments").segments.list()).map(toAnswer) }),
  }),
  guarded({
    method: "PUT",
    path: `${PATH}/{name}`,
    summary: "Saves a segment under a name, replacing one that has it",
    envelope: "problem",
    access: WRITE,
    query: noQuery,
    body: { schema: segmentBody, maxByteLength: SERVER_LIMITS.queryBodyBytes, list: null },
    answer: savedSegment,
    etag: false,
    handle: async ({ daybook }, { params, body }) => {
      // `put` checks that this is a segment.
      const segment = libraryInput(segmentBody, body) as PeopleSegment;
      return toAnswer(await requireMember(daybook, "segments").segments.put(params["name"] ?? "", segment));
    },
  }),
  guarded({
    method: "DELETE",
    path: `${PATH}/{name}`,
    summary: "Deletes a saved segment",
    envelope: "problem",
    access: WRITE,
    query: noQuery,
    body: null,
    answer: z.strictObject({ deleted: z.boolean().meta({ description: "Whether there was a segment of this name." }) }),
    etag: false,
    handle: async ({ daybook }, { params }) => ({ deleted: await requireMember(daybook, "segments").segments.delete(params["name"] ?? "") }),
  }),
];

/** A segment with wire names, as it was sent. */
function toAnswer({ name, groups }: SavedSegment): object {
  return { name, groups: wireNames(groups) };
}
