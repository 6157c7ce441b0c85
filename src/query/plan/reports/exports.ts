import { parameterError, shown } from "../../../core/base/errors.js";
import { LIMITS } from "../../../core/base/limits.js";
import { planRange } from "../date-range.js";
import { memberError, readFlag, readInteger, readList, readMembers, readText, type InputMembers } from "../members.js";
import type { CountPlan, Range } from "../plan.js";
import { planScope, readEventsInput, type ScopeContext } from "./events.js";

/** The events that an export reads. */
export interface ExportPlan extends CountPlan<"exportEvents"> {
  readonly identityIds: boolean;
  /** Only events with a greater sequence, and each with its sequence; null: all events, and without sequences. */
  readonly afterSequence: number | null;
  /** Only events up to this sequence; null: all of the snapshot. */
  readonly upToSequence: number | null;
}

/** Members of an export beside those that select events as in queries. */
const EXPORT_NAMES = ["identityIds", "afterSequence", "upToSequence"];

/** Plans an export. @throws what a query with the same filters throws; invalid_parameter, unknown_parameter */
export function planExport(input: unknown, context: ScopeContext): ExportPlan {
  return exportOf(readEventsInput(input, EXPORT_NAMES), context);
}

/** Plans an export to Arrow. @throws as above */
export function planArrowExport(input: unknown, context: ScopeContext): { readonly plan: ExportPlan; readonly jsonMark: boolean } {
  const members = readEventsInput(input, [...EXPORT_NAMES, "jsonMark"]);
  return { plan: exportOf(members, context), jsonMark: readFlag(members, "jsonMark") };
}

function exportOf(members: InputMembers, context: ScopeContext): ExportPlan {
  const scope = planScope(members, context);
  const identityIds = readFlag(members, "identityIds");
  const afterSequence = readInteger(members, "afterSequence", 0, Number.MAX_SAFE_INTEGER);
  const upToSequence = readInteger(members, "upToSequence", 0, Number.MAX_SAFE_INTEGER);
  if (upToSequence !== null && upToSequence < (afterSequence ?? 0))
    throw memberError(members, "upToSequence", `expected afterSequence, which is ${afterSequence}, or a later sequence, got ${upToSequence}`);
  return { report: "exportEvents", ...scope, identityIds, afterSequence, upToSequence };
}

/** Whether an export selects events by more than project and dates. */
export function isFiltered({ eventName, where, afterSequence, upToSequence }: ExportPlan): boolean {
  return eventName !== null || where.length > 0 || afterSequence !== null || upToSequence !== null;
}

/** @throws invalid_parameter (a sequence that the store has not reached) */
export function refuseUnreached(plan: Pick<ExportPlan, "afterSequence"> & Partial<Pick<ExportPlan, "upToSequence">>, newestSequence: number): void {
  for (const name of ["afterSequence", "upToSequence"] as const) {
    const sequence = plan[name] ?? 0;
    if (sequence > newestSequence)
      throw parameterError("invalid_parameter", name, `expected a sequence up to the newest, which is ${newestSequence}, got ${sequence}: it is of another store, or this one was restored from an earlier backup`);
  }
}

/** Plans the rows and columns of record batches; columns null: all. @throws invalid_parameter, unknown_parameter, invalid_date, invalid_date_range */
export function planRecordBatches(input: unknown): { readonly project: string | null; readonly range: Range; readonly columns: readonly string[] | null } {
  const members = readMembers(input ?? {}, "", ["project", "startDate", "endDate", "columns"]);
  const [project, range] = [readText(members, "project"), planRange(members)];
  if (!members.values.has("columns")) return { project, range, columns: null };
  const columns = readList(members, "columns", 1, LIMITS.metadataKeyCount).map((name) => {
    if (typeof name !== "string") throw memberError(members, "columns", `expected names of columns, got ${shown(name)}`);
    return name;
  });
  if (new Set(columns).size < columns.length) throw memberError(members, "columns", "expected each name once");
  return { project, range, columns };
}

/** Plans an export of deletions: the sequence that a copy has reached. @throws invalid_parameter, unknown_parameter */
export function planDeletions(input: unknown): { readonly afterSequence: number } {
  const members = readMembers(input ?? {}, "", ["afterSequence"]);
  const afterSequence = readInteger(members, "afterSequence", 0, Number.MAX_SAFE_INTEGER);
  if (afterSequence === null) throw memberError(members, "afterSequence", "expected the sequence that the copy has reached, got none");
  return { afterSequence };
}
