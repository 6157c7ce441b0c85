import { dayStartMs, isoOf, MS_PER_DAY } from "../base/time.js";
import { compareIds } from "../base/uuid.js";
import { codeAt } from "../column/column.js";
import type { IdentityNames } from "../identity/identity-names.js";
import { ID_COLUMN, TIME_COLUMN, FIELDS } from "../schema/fields.js";
import type { Range } from "../plan/plan.js";
import { RecordReader, loadRecords } from "../report/event-record.js";
import type { Rows } from "../segment/rows.js";
import type { Store } from "../store/store.js";
import type { ExportedEvent } from "./daybook.js";

/** Tells by the codes of its user id and anonymous id whether a row is wanted. */
export type RowTest = (userId: number, anonymousId: number) => boolean;

/** What an export leaves out and adds, besides. */
export interface ExportRows {
  readonly isWanted?: RowTest;
  /** Adds the identity ids of a moment. */
  readonly names?: IdentityNames;
}

/** Every stored event of a range, or those of them that are wanted, in (createdAt, event id) order, a day in memory at a time. */
export async function* exportRows(
  store: Store,
  project: string | null,
  range: Range,
  { isWanted, names }: ExportRows = {},
): AsyncGenerator<ExportedEvent> {
  const snapshot = store.snapshot();
  const reader = new RecordReader(store.dictionaries);
  try {
    for (const day of daysOf(snapshot.rows)) {
      const startMs = dayStartMs(day[0]?.day ?? 0);
      if (startMs + MS_PER_DAY <= range.fromMs || startMs >= range.toMs) continue;
      for (const rows of day) rows.pin();
      try {
        for (const { rows, row } of await rowsInOrder(day, startMs, range, isWanted)) {
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

async function rowsInOrder(day: readonly Rows[], startMs: number, { fromMs, toMs }: Range, isWanted?: RowTest): Promise<{ rows: Rows; row: number }[]> {
  const all: { rows: Rows; row: number }[] = [];
  for (const rows of day) {
    await rows.load([TIME_COLUMN, ID_COLUMN]);
    const test = isWanted === undefined ? () => true : await rowTestOf(rows, isWanted);
    const times = rows.times();
    for (let row = 0; row < rows.rowCount; row += 1) {
      const createdAtMs = startMs + (times[row] as number);
      // Before the sort: a page of an export begins at the last event of the one before.
      if (createdAtMs >= fromMs && createdAtMs < toMs && test(row)) all.push({ rows, row });
    }
  }
  return all.sort((a, b) => {
    const difference = (a.rows.times()[a.row] as number) - (b.rows.times()[b.row] as number);
    return difference || compareIds(a.rows.ids(), a.row * 16, b.rows.ids(), b.row * 16);
  });
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
