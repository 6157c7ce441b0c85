import { z } from "zod";
import type { SavedSegment } from "../../engine/query/saved-segments.js";
import type { PeopleSegment } from "../../query/plan/input.js";
import { type RequiredAccess, requireMember } from "../access/rights.js";
import { guarded, objectBody, type Route } from "../routing/route.js";
import { savedSegment, segmentBody } from "../shapes/filters.js";
import { libraryInput } from "./run-query.js";
import { wireNames } from "../wire/wire-names.js";

const PATH = "/v1/segments";
const READ: RequiredAccess = { scope: "analytics:read", organizationWide: true };
const WRITE: RequiredAccess = { scope: "segments:write", organizationWide: true };

export const segmentRoutes: readonly Route[] = [
  guarded({
    path: PATH,
    summary: "Lists the saved segments by name",
    access: READ,
    answer: z.strictObject({ segments: z.array(savedSegment) }),
    etag: true,
    handle: async ({ daybook }) => ({ segments: (await requireMember(daybook, "segments").segments.list()).map(toAnswer) }),
  }),
  guarded({
    method: "PUT",
    path: `${PATH}/{name}`,
    summary: "Saves a segment under a name, replacing one that has it",
    access: WRITE,
    body: objectBody(segmentBody),
    answer: savedSegment,
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
    access: WRITE,
    answer: z.strictObject({ deleted: z.boolean().meta({ description: "Whether there was a segment of this name." }) }),
    handle: async ({ daybook }, { params }) => ({ deleted: await requireMember(daybook, "segments").segments.delete(params["name"] ?? "") }),
  }),
];

function toAnswer({ name, groups }: SavedSegment): object {
  return { name, groups: wireNames(groups) };
}
