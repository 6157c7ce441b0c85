import { grouped } from "../../core/base/arrays.js";
import { dayStartMs, isoOf } from "../../core/base/time.js";
import type { Yielder } from "../../core/base/yield.js";
import { exportedEvent, type ExportedEvent } from "../../core/schema/event.js";
import { ID_COLUMN, SEQUENCE_COLUMN, TIME_COLUMN, FIELDS } from "../../core/schema/fields.js";
import type { ReceivedAt, SelectedRows } from "../../formats/arrow/day-rows.js";
import type { IdentityNames } from "../../identity/identity-ids.js";
import type { Range } from "../../query/plan/plan.js";
import { hasBit } from "../../storage/column/bitmap.js";
import { codeAt } from "../../storage/column/column.js";
import type { Dictionaries } from "../../storage/column/dictionaries.js";
import { orderedRows } from "../../storage/segment/ordered-rows.js";
import { RecordReader, loadRecords } from "../../storage/segment/record-reader.js";
import { mayHold, type Rows } from "../../storage/segment/rows.js";
import type { ExportPlace } from "./place.js";
import { GIVEN_ROW_VALUES, PASSED_ROW_VALUES, rowYielder } from "./row-yielder.js";

/** Selects rows by the codes of their user id and anonymous id. */
export type PersonTest = (userId: number, anonymousId: number) => boolean;

type RowTest = (row: number) => boolean;

export interface ExportRows {
  /** Null or absent: all projects. */
  readonly project?: string | null;
  readonly isWanted?: PersonTest;
  readonly names?: IdentityNames;
  /** The last event of the previous page. */
  readonly after?: ExportPlace | null;
  /** Only these rows, which are of the range and project; null or absent: all. */
  readonly selected?: SelectedRows | null;
  /** Given: each event with its sequence, and when it was accepted, if that is known. */
  readonly received?: ReceivedAt | null;
  readonly signal?: Pick<AbortSignal, "aborted"> | undefined;
}

/**
 * Yields the wanted stored events of a range in (createdAt, event id, project) order, one day in memory at a time. Cost: the times and ids of the
 * days it reaches, a test of each of their rows, and the rows yielded. It skips rows before the range or `after`, and segments without rows of the
 * project.
 * @param newestFirst rows of a snapshot, which the caller holds until the end
 * @throws corruption, aborted
 */
export async function* exportRows(
  newestFirst: readonly Rows[],
  dictionaries: Dictionaries,
  range: Range,
  { project = null, isWanted, names, after = null, selected = null, received = null, signal }: ExportRows = {},
): AsyncGenerator<ExportedEvent> {
  const from = after !== null && after.createdAtMs >= range.fromMs ? { createdAtMs: after.createdAtMs, key: after } : { createdAtMs: range.fromMs, key: null };
  const projectCode = project === null ? null : dictionaries.named("project").codeOf(project);
  const reader = new RecordReader(dictionaries);
  const yielder = rowYielder(signal);
  const mayExport = (rows: Rows) => (selected === null ? projectCode === null || mayHold(rows, "project", projectCode) : selected.has(rows));
  const touched = newestFirst.filter((rows) => isTouched(rows, from.createdAtMs, range.toMs) && mayExport(rows));
  for (const day of grouped(touched.reverse(), (rows) => rows.day).values()) {
    for (const rows of day) rows.pin();
    try {
      const tests = selected === null ? await loadedTests(day, projectCode, isWanted, yielder) : await selectedTests(day, selected);
      for (const { rows, row } of orderedRows([...tests.keys()], from, range.toMs)) {
        const isGiven = tests.get(rows)?.(row) === true;
        if (yielder.isDue(isGiven ? GIVEN_ROW_VALUES : PASSED_ROW_VALUES)) await yielder.yield();
        if (!isGiven) continue;
        await loadRecords(rows, [row], dictionaries);
        yield { ...exported(reader, rows, row), ...identityIdOf(rows, row, names), ...(received === null ? {} : receiptOf(received, rows.sequences()[row] ?? 0)) };
      }
    } finally {
      for (const rows of day) rows.unpin();
    }
  }
}

function isTouched({ day, minMs, maxMs }: Rows, fromMs: number, toMs: number): boolean {
  const startMs = dayStartMs(day);
  return startMs + maxMs >= fromMs && startMs + minMs < toMs;
}

function identityIdOf(rows: Rows, row: number, names: IdentityNames | undefined): { readonly identityId?: string } {
  const identityId = names?.of(codeAt(rows.column("userId"), row), codeAt(rows.column("anonymousId"), row)) ?? null;
  return identityId === null ? {} : { identityId };
}

function receiptOf(received: ReceivedAt, sequence: number): Pick<ExportedEvent, "sequence" | "receivedAt"> {
  const receivedMs = received.of(sequence);
  return receivedMs === null ? { sequence } : { sequence, receivedAt: isoOf(receivedMs) };
}

/** Loads the columns that order and filter the rows of a day; skips parts without rows of the project. */
async function loadedTests(day: readonly Rows[], projectCode: number | null, isWanted: PersonTest | undefined, yielder: Yielder): Promise<ReadonlyMap<Rows, RowTest>> {
  const tests = new Map<Rows, RowTest>();
  for (const rows of day) {
    const ofProject = projectCode === null ? ALL_ROWS : await projectTest(rows, projectCode);
    if (yielder.isDue(rows.rowCount)) await yielder.yield();
    if (ofProject === null) continue;
    await rows.load([TIME_COLUMN, ID_COLUMN]);
    const ofPerson = isWanted === undefined ? ALL_ROWS : await personTest(rows, isWanted);
    tests.set(rows, (row) => ofProject(row) && ofPerson(row));
  }
  return tests;
}

/** Loads the columns that order selected rows, and their sequences. */
async function selectedTests(day: readonly Rows[], selected: SelectedRows): Promise<ReadonlyMap<Rows, RowTest>> {
  const tests = new Map<Rows, RowTest>();
  for (const rows of day) {
    await rows.load([TIME_COLUMN, ID_COLUMN, SEQUENCE_COLUMN]);
    const bits = selected.get(rows);
    if (bits !== undefined) tests.set(rows, (row) => hasBit(bits, row));
  }
  return tests;
}

const ALL_ROWS: RowTest = () => true;

/** Null if no row is of the project. */
async function projectTest(rows: Rows, code: number): Promise<RowTest | null> {
  await rows.load(["project"]);
  const column = rows.column("project");
  return column.codes.includes(code) ? (row) => codeAt(column, row) === code : null;
}

async function personTest(rows: Rows, isWanted: PersonTest): Promise<RowTest> {
  await rows.load(["userId", "anonymousId"]);
  const users = rows.column("userId");
  const anonymous = rows.column("anonymousId");
  return (row) => isWanted(codeAt(users, row), codeAt(anonymous, row));
}

function exported(reader: RecordReader, rows: Rows, row: number): ExportedEvent {
  const text = (field: number) => reader.text(rows, row, FIELDS[field]?.column ?? "");
  const event = exportedEvent(text, reader.id(rows, row), reader.createdAtMs(rows, row), reader.metadata(rows, row));
  // The cast holds: no event is stored without a name.
  return event as ExportedEvent & typeof event;
}
