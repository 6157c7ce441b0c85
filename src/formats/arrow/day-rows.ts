/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by their columns */
import { getOrMake } from "../../core/base/arrays.js";
import { MS_PER_DAY, dayStartMs } from "../../core/base/time.js";
import { countBits, rowsOfBits, type Bitmap } from "../../storage/column/bitmap.js";
import { absentColumn, denseCodes, codeAt, type CodeColumn } from "../../storage/column/column.js";
import { ID_COLUMN, SEQUENCE_COLUMN, TIME_COLUMN, SHAPE_COLUMN, metadataColumn } from "../../core/schema/fields.js";
import { mayHold, type Rows, whilePinned } from "../../storage/segment/rows.js";
import { mergeRows, someRows, type MergedRows } from "../../storage/segment/merge-rows.js";
import type { Dictionaries } from "../../storage/column/dictionaries.js";
import type { JsonDictionary } from "../../storage/column/json-dictionary.js";

/** Selects events created in `[fromMs, toMs)`, of one project or (null) of all. */
export interface EventRange {
  readonly fromMs: number;
  readonly toMs: number;
  readonly project: string | null;
  /** Absent: all rows of the range; else these rows of it, and no rows of others. */
  readonly selected?: SelectedRows | null;
}

/** One bit for each row that is selected. */
export type SelectedRows = ReadonlyMap<Rows, Bitmap>;

export interface DayRows {
  readonly day: number;
  readonly times: Int32Array;
  readonly ids: Uint8Array;
  readonly sequences: Uint32Array;
  column(name: string): CodeColumn;
}

/** The identity id of an event by the codes of its user id and anonymous id; null if it has no identity. */
export type IdentityIdOf = (userId: number, anonymousId: number) => string | null;

/** When events were accepted, by their sequences. */
export interface ReceivedAt {
  /** Epoch ms; null: unknown. */
  of(sequence: number): number | null;
}

/** Columns behind the stored ones. */
export interface AddedColumns {
  /** For a column `identityId`; absent: none. */
  readonly identityIdOf?: IdentityIdOf | null;
  /** For last columns `sequence` and `receivedAt`; absent: none. */
  readonly received?: ReceivedAt | null;
}

/** A value of each row. Allocates the full length at once: a growing array leaves twice its size as garbage. */
export function valuesOf<T>(rows: Uint32Array, read: (row: number) => T): T[] {
  const values = new Array<T>(rows.length);
  for (let at = 0; at < rows.length; at += 1) values[at] = read(rows[at]!);
  return values;
}

export function identityIds({ column }: DayRows, rows: Uint32Array, identityIdOf: IdentityIdOf): (string | null)[] {
  const [users, anonymous] = [column("userId"), column("anonymousId")];
  return valuesOf(rows, (row) => identityIdOf(codeAt(users, row), codeAt(anonymous, row)));
}

/** The rows that may hold events of a range, by day, oldest first. @param projectCode of the range's project; null: all projects */
export function daysOf(rows: readonly Rows[], range: EventRange, projectCode: number | null): Rows[][] {
  const days = new Map<number, Rows[]>();
  for (const one of rows) {
    if (range.selected?.has(one) === false) continue;
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

/** The loaded rows of one day in (createdAt, event id) order: those of a single segment as they are, others and selected ones merged. */
export async function mergedInOrder(sources: readonly Rows[], { selected = null }: EventRange): Promise<DayRows> {
  const [only, ...others] = sources;
  if (selected !== null) return dayRows(await mergeRows(sources.map((rows) => someRows(rows, rowNumbers(selected.get(rows)!)))));
  if (only?.sealed === true && others.length === 0) return asDayRows(only);
  return dayRows(await mergeRows(sources));
}

/** The rows of a source that an export reads, ascending. All columns must be loaded. @param projectCode of the range's project; null: all projects */
export function exportedRows(rows: Rows, range: EventRange, projectCode: number | null): Uint32Array {
  const bits = range.selected?.get(rows);
  return bits === undefined ? rowsInRange(asDayRows(rows), range, projectCode) : rowNumbers(bits);
}

function rowNumbers(bits: Bitmap): Uint32Array {
  const rows = new Uint32Array(countBits(bits));
  rowsOfBits(bits, rows);
  return rows;
}

/** Loaded rows in any order, which stay readable when dropped from memory. @param loaded names of columns; default: all */
export function asDayRows(rows: Rows, loaded: readonly string[] = rows.columnNames()): DayRows {
  const columns = new Map(rows.columnNames().filter((name) => loaded.includes(name)).map((name) => [name, rows.column(name)]));
  return dayRows({ day: rows.day, times: rows.times(), ids: rows.ids(), sequences: rows.sequences(), columns });
}

function dayRows({ day, times, ids, sequences, columns }: MergedRows): DayRows {
  const absent = absentColumn(times.length);
  return { day, times, ids, sequences, column: (name) => columns.get(name) ?? absent };
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

/** Epoch ms of some rows, by their ms of the day. Written as pairs of 32-bit words: a BigInt per row would cost as much as all else. */
export function instantsOf(startMs: number, times: Int32Array, rows: Uint32Array): BigInt64Array {
  const words = new Uint32Array(rows.length * 2);
  for (let at = 0; at < rows.length; at += 1) {
    const createdAtMs = startMs + times[rows[at]!]!;
    words[at * 2] = createdAtMs;
    words[at * 2 + 1] = Math.floor(createdAtMs / 2 ** 32);
  }
  return new BigInt64Array(words.buffer);
}

/** The sequences of some rows. */
export function sequencesOf({ sequences }: DayRows, rows: Uint32Array): Uint32Array {
  const own = new Uint32Array(rows.length);
  for (let at = 0; at < rows.length; at += 1) own[at] = sequences[rows[at]!]!;
  return own;
}

/** One key of a shape: the start of its member in JSON, and the source of its value. */
interface Member {
  readonly start: string;
  readonly column: CodeColumn;
  readonly dictionary: JsonDictionary;
}

/** The metadata of some rows as JSON texts, with keys in their original order; null if there is none. */
export function metadataTexts(day: DayRows, rows: Uint32Array, dictionaries: Dictionaries): (string | null)[] {
  const shapes = day.column(SHAPE_COLUMN);
  const members = new Map<number, readonly Member[]>();
  return valuesOf(rows, (row) => {
    const shape = codeAt(shapes, row);
    if (shape === 0) return null;
    const known = getOrMake(members, shape, () => dictionaries.keysOfShape(shape).map((key) => memberOf(day, key, dictionaries)));
    return `{${known.map(({ start, column, dictionary }) => start + dictionary.valueOf(codeAt(column, row))).join(",")}}`;
  });
}

function memberOf(day: DayRows, key: number, dictionaries: Dictionaries): Member {
  return {
    start: `${JSON.stringify(dictionaries.keyOf(key))}:`,
    column: day.column(metadataColumn(key)),
    dictionary: dictionaries.ofKey(key),
  };
}
