/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by their columns */
import { MS_PER_DAY, dayStartMs } from "../../core/base/time.js";
import { absentColumn, denseCodes } from "../../storage/column/column.js";
import type { CodeColumn } from "../../storage/column/column.js";
import { ID_COLUMN, SEQUENCE_COLUMN, TIME_COLUMN } from "../../core/schema/fields.js";
import { mayHold, type Rows } from "../../storage/segment/rows.js";
import { mergeRows } from "../../storage/segment/merge-rows.js";
import type { MergedRows } from "../../storage/segment/merge-rows.js";
import { whilePinned } from "../../storage/segment/while-pinned.js";

/** Selects events created in `[fromMs, toMs)`, of one project or (null) of all. */
export interface EventRange {
  readonly fromMs: number;
  readonly toMs: number;
  readonly project: string | null;
}

/** The loaded rows of one day, as far as exports read them. */
export interface DayRows {
  readonly day: number;
  readonly times: Int32Array;
  readonly ids: Uint8Array;
  column(name: string): CodeColumn;
}

/** The identity id of an event by the codes of its user id and anonymous id; null if it has no identity. */
export type IdentityIdOf = (userId: number, anonymousId: number) => string | null;

/** The rows that may hold events of a range, by day, oldest first. @param projectCode of the range's project; null: all projects */
export function daysOf(rows: readonly Rows[], range: EventRange, projectCode: number | null): Rows[][] {
  const days = new Map<number, Rows[]>();
  for (const one of rows) {
    const startMs = dayStartMs(one.day);
    if (startMs + MS_PER_DAY <= range.fromMs || startMs >= range.toMs) continue;
    if (projectCode === null || mayHold(one, "project", projectCode)) days.set(one.day, [...(days.get(one.day) ?? []), one]);
  }
  return [...days.values()].sort((a, b) => a[0]!.day - b[0]!.day);
}

/** Loads every column of some rows and calls `read` while they cannot be dropped. The arrays that it reads stay valid. @throws corruption */
export function whileLoaded<T>(sources: readonly Rows[], read: () => T | Promise<T>): Promise<T> {
  return whilePinned(sources, async () => {
    for (const rows of sources) await rows.load([TIME_COLUMN, ID_COLUMN, SEQUENCE_COLUMN, ...rows.columnNames()]);
    return await read();
  });
}

/** The loaded rows of one day in (createdAt, event id) order: those of a single segment as they are, others merged. */
export async function mergedInOrder(sources: readonly Rows[]): Promise<DayRows> {
  const [only, ...others] = sources;
  if (only?.sealed === true && others.length === 0) return asDayRows(only);
  return dayRows(await mergeRows(sources));
}

/** Loaded rows in any order, which stay readable when dropped from memory. @param loaded names of columns; default: all */
export function asDayRows(rows: Rows, loaded: readonly string[] = rows.columnNames()): DayRows {
  const columns = new Map(rows.columnNames().filter((name) => loaded.includes(name)).map((name) => [name, rows.column(name)]));
  return dayRows({ day: rows.day, times: rows.times(), ids: rows.ids(), columns });
}

function dayRows({ day, times, ids, columns }: Pick<MergedRows, "day" | "times" | "ids" | "columns">): DayRows {
  const absent = absentColumn(times.length);
  return { day, times, ids, column: (name) => columns.get(name) ?? absent };
}

/** The rows within a range, ascending by row number. @param projectCode of the range's project; null: all projects */
export function rowsInRange({ day, times, column }: DayRows, range: EventRange, projectCode: number | null): Uint32Array {
  const fromMs = range.fromMs - dayStartMs(day);
  const toMs = range.toMs - dayStartMs(day);
  const projects = projectCode === null ? null : denseCodes(column("project"));
  const rows = new Uint32Array(times.length);
  let count = 0;
  for (let row = 0; row < times.length; row += 1) {
    if (times[row]! < fromMs || times[row]! >= toMs || (projects !== null && projects[row] !== projectCode)) continue;
    rows[count] = row;
    count += 1;
  }
  return rows.subarray(0, count);
}
