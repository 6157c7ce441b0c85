import { z } from "zod";
import { parameterError, shown } from "../../base/errors.js";
import { compareCodePoints } from "../../base/order.js";
import { isoOf, parseTimestamp } from "../../base/time.js";
import { parseUuid, uuidText } from "../../base/uuid.js";
import type { ExportInput } from "../../engine/daybook.js";
import { planExport } from "../../plan/export-events.js";
import type { StoredRecord } from "../../schema/record.js";
import { bytesOfLines } from "../lines.js";
import { pageOfLines } from "../page-of-lines.js";
import { guarded, JSON_BYTE_LENGTH } from "../route.js";
import type { Route } from "../route.js";
import { inProject } from "./questions.js";

const RECORD_TYPES = ["identify", "group", "alias", "unlink"] as const;
const answer = z.string().meta({ description: "One JSON object a line; no line: there are no more." });
const form = { method: "POST", envelope: "problem", query: z.strictObject({}), answer, format: "ndjson", etag: false, keepsNames: true } as const;

/** Of the last item of the page before, what its place goes by. */
const eventPlace = z.strictObject({ createdAt: z.string(), id: z.string() });
const recordPlace = z.strictObject({ type: z.enum(["project", ...RECORD_TYPES]), name: z.string().optional(), createdAt: z.string().optional(), id: z.string().optional() });

/** Everything that is stored, oldest first and page by page: each begins after the last item of the one before. */
export const exportRoutes: readonly Route[] = [
  guarded({
    ...form,
    path: "/v1/exports/events",
    summary: "A page of all events, oldest first",
    access: { scope: "events:read" },
    body: { schema: z.looseObject({ after: eventPlace.nullish() }), maxByteLength: JSON_BYTE_LENGTH, list: null },
    handle: ({ daybook, project }, { body: { after, ...input }, signal }) => {
      // What else may be in there `planExport` settles.
      const given = inProject(input, project) as ExportInput;
      const place = after ? timePlace(after) : null;
      const isWithin = place !== null && place.createdAtMs >= planExport(given).range.fromMs;
      const events = daybook.exportEvents(isWithin ? { ...given, startDate: place.createdAt } : given);
      return bytesOfLines(pageOfLines(events, (event) => place !== null && isNotAfter(event, place), signal), signal);
    },
  }),
  guarded({
    ...form,
    path: "/v1/exports/records",
    summary: "A page of all projects and of all records that tell who is who, oldest first",
    access: { scope: "identities:read", role: "admin", organizationWide: true },
    body: { schema: z.strictObject({ after: recordPlace.nullish() }), maxByteLength: JSON_BYTE_LENGTH, list: null },
    handle: ({ daybook }, { body: { after }, signal }) => {
      const isBefore = after ? isNotAfterRecord(after) : () => false;
      return bytesOfLines(pageOfLines(daybook.exportRecords(), isBefore, signal), signal);
    },
  }),
];

interface TimePlace {
  readonly createdAtMs: number;
  readonly createdAt: string;
  readonly id: string;
}

/** @throws invalid_parameter */
function timePlace({ createdAt = "", id = "" }: { readonly createdAt?: string | undefined; readonly id?: string | undefined }): TimePlace {
  const createdAtMs = parseTimestamp(createdAt);
  if (createdAtMs === null) throw parameterError("invalid_parameter", "after.createdAt", `expected the time of the last item of a page, got ${shown(createdAt)}`);
  const bytes = parseUuid(id);
  if (bytes === null) throw parameterError("invalid_parameter", "after.id", `expected the id of the last item of a page, got ${shown(id)}`);
  return { createdAtMs, createdAt: isoOf(createdAtMs), id: uuidText(bytes) };
}

/** Times and ids are texts of one length, so they compare as what they say. */
function isNotAfter(item: { readonly createdAt: string; readonly id: string }, { createdAt, id }: TimePlace): boolean {
  return item.createdAt < createdAt || (item.createdAt === createdAt && item.id <= id);
}

/** Projects come first, by name; what takes a record back comes right behind what has its time and id. */
function isNotAfterRecord(after: z.infer<typeof recordPlace>): (record: StoredRecord) => boolean {
  if (after.type === "project") {
    const { name = "" } = after;
    return (record) => record.type === "project" && compareCodePoints(record.name, name) <= 0;
  }
  const place = timePlace(after);
  const isUnlink = after.type === "unlink";
  return (record) => {
    if (record.type === "project") return true;
    const id = record.type === "unlink" ? record.linkId : record.id;
    const isSame = record.createdAt === place.createdAt && id === place.id;
    return isSame ? isUnlink || record.type !== "unlink" : isNotAfter({ createdAt: record.createdAt, id }, place);
  };
}
