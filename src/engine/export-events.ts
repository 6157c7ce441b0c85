import { dayStartMs, isoOf } from "../base/time.js";
import { codeAt } from "../column/column.js";
import type { IdentityNames } from "../identity/identity-names.js";
import { ID_COLUMN, TIME_COLUMN, FIELDS } from "../schema/fields.js";
import type { Range } from "../plan/plan.js";
import { RecordReader, loadRecords } from "../segment/record-reader.js";
import { orderedRows } from "../segment/ordered-rows.js";
import type { Rows } from "../segment/rows.js";
import type { Store } from "../store/live/store.js";
import type { ExportedEvent } from "./daybook.js";
import type { EventPlace } from "./export-place.js";

/** Tells by the codes of its user id and anonymous id whether a row is wanted. */
export type RowTest = (userId: number, anonymousId: number) => boolean;

/** What an export leaves out and adds, besides. */
export interface ExportRows {
  readonly isWanted?: RowTest;
  /** Adds the identity ids of a moment. */
  readonly names?: IdentityNames;
  /** The last event of the page before. */
  readonly after?: EventPlace | null;
}

/**
 * Every stored event of a range, or those of them that are wanted, in (createdAt, event id) order, a day in memory at a time.
 * Cost: the times and ids of the days that it gets to, and the rows that are read; those before the range or `after` are not looked at.
 */
export async function* exportRows(
  store: Store,
  project: string | null,
  range: Range,
  { isWanted, names, after = null }: ExportRows = {},
): AsyncGenerator<ExportedEvent> {
  const from = after !== null && after.createdAtMs >= range.fromMs ? after : { createdAtMs: range.fromMs, id: null };
  const snapshot = store.snapshot();
  const reader = new RecordReader(store.dictionaries);
  try {
    for (const day of daysOf(snapshot.rows.filter((rows) => isTouched(rows, from.createdAtMs, range.toMs)))) {
      for (const rows of day) rows.pin();
      try {
        const tests = await loadedTests(day, isWanted);
        for (const { rows, row } of orderedRows(day, from, range.toMs)) {
          if (tests?.get(rows)?.(row) === false) continue;
          await loadRecords(rows, [row], store.dictionaries);
          if (project === null || reader.text(rows, row, "project") === project) yield { ...exported(reader, rows, row), ...identityIdOf(rows, row, names) };
        }
      } finally {
        for (const rows of day) rows.unpin();
      }
    }
  } finally {
    snapshot.release();
  }
}

/** Whether some row may lie in a range, by the smallest and largest time. */
function isTouched({ day, minMs, maxMs }: Rows, fromMs: number, toMs: number): boolean {
  const startMs = dayStartMs(day);
  return startMs + maxMs >= fromMs && startMs + minMs < toMs;
}

function identityIdOf(rows: Rows, row: number, names: IdentityNames | undefined): { readonly identityId?: string } {
  const identityId = names?.of(codeAt(rows.column("userId"), row), codeAt(rows.column("anonymousId"), row)) ?? null;
  return identityId === null ? {} : { identityId };
}

function daysOf(newestFirst: readonly Rows[]): Rows[][] {
  const days = new Map<number, Rows[]>();
  for (const rows of [...newestFirst].reverse()) {
    const day = days.get(rows.day);
    if (day === undefined) days.set(rows.day, [rows]);
    else day.push(rows);
  }
  return [...days.values()];
}

/** Loads what rows are ordered by, and how to tell those that are wanted; null where all are. */
async function loadedTests(day: readonly Rows[], isWanted: RowTest | undefined): Promise<ReadonlyMap<Rows, (row: number) => boolean> | null> {
  for (const rows of day) await rows.load([TIME_COLUMN, ID_COLUMN]);
  if (isWanted === undefined) return null;
  const tests = new Map<Rows, (row: number) => boolean>();
  for (const rows of day) tests.set(rows, await rowTestOf(rows, isWanted));
  return tests;
}

async function rowTestOf(rows: Rows, isWanted: RowTest): Promise<(row: number) => boolean> {
  await rows.load(["userId", "anonymousId"]);
  const users = rows.column("userId");
  const anonymous = rows.column("anonymousId");
  return (row) => isWanted(codeAt(users, row), codeAt(anonymous, row));
}

function exported(reader: RecordReader, rows: Rows, row: number): ExportedEvent {
  const event: { id: string; createdAt: string; [member: string]: unknown } = { id: reader.id(rows, row), createdAt: isoOf(reader.createdAtMs(rows, row)) };
  for (const { column, camel, accepts } of FIELDS) {
    const text = reader.text(rows, row, column);
    if (text === "" || (accepts === "boolean" && text === "false")) continue;
    event[camel] = accepts === "number" ? Number(text) : accepts === "boolean" ? true : text;
  }
  const metadata = reader.metadata(rows, row);
  if (Object.keys(metadata).length > 0) event["metadata"] = metadata;
  // The name is among the members just copied: no event is stored without one.
  return event as ExportedEvent & typeof event;
}
