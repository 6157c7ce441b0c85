import { shown } from "../../../core/base/errors.js";
import { LIMITS } from "../../../core/base/limits.js";
import { planRange } from "../date-range.js";
import { memberError, readFlag, readList, readMembers, readText } from "../members.js";
import type { InputMembers } from "../members.js";
import type { Range } from "../plan.js";

/** The events that an export reads. */
export interface ExportPlan {
  readonly project: string | null;
  readonly range: Range;
  readonly identityIds: boolean;
}

/** Members that select events. */
const RANGE = ["project", "startDate", "endDate"];

/** Plans an export. @throws invalid_parameter, unknown_parameter, invalid_date, invalid_date_range */
export function planExport(input: unknown): ExportPlan {
  return exportOf(readMembers(input ?? {}, "", [...RANGE, "identityIds"]));
}

/** Plans an export to Arrow. @throws as above */
export function planArrowExport(input: unknown): ExportPlan & { readonly jsonMark: boolean } {
  const members = readMembers(input ?? {}, "", [...RANGE, "identityIds", "jsonMark"]);
  return { ...exportOf(members), jsonMark: readFlag(members, "jsonMark") };
}

/** Plans the rows and columns of record batches; columns null: all. @throws as above */
export function planRecordBatches(input: unknown): Pick<ExportPlan, "project" | "range"> & { readonly columns: readonly string[] | null } {
  const members = readMembers(input ?? {}, "", [...RANGE, "columns"]);
  const { project, range } = exportOf(members);
  if (!members.values.has("columns")) return { project, range, columns: null };
  const columns = readList(members, "columns", 1, LIMITS.metadataKeyCount).map((name) => {
    if (typeof name !== "string") throw memberError(members, "columns", `expected names of columns, got ${shown(name)}`);
    return name;
  });
  if (new Set(columns).size < columns.length) throw memberError(members, "columns", "expected each name once");
  return { project, range, columns };
}

function exportOf(members: InputMembers): ExportPlan {
  return { project: readText(members, "project"), range: planRange(members), identityIds: readFlag(members, "identityIds") };
}
