/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by their columns */
import { dayStartMs } from "../../../core/base/time.js";
import { parseUuid } from "../../../core/base/uuid.js";
import { select, rowsDown, selectedRows, type Selection } from "../../filter/select.js";
import { codeAt } from "../../../storage/column/column.js";
import type { CursorPosition, FoundEvents, SearchEventsPlan } from "../../plan/plan.js";
import { RECORD_FIELDS, type EventRecord } from "../../../core/schema/event.js";
import { ID_COLUMN, SEQUENCE_COLUMN, TIME_COLUMN } from "../../../core/schema/fields.js";
import { compareEvents, compareWithKey, type EventKey } from "../../../storage/segment/event-order.js";
import type { Rows } from "../../../storage/segment/rows.js";
import { actorOf } from "../../../storage/segment/summaries.js";
import { RecordReader, loadRecords } from "../../../storage/segment/record-reader.js";
import { onePass, type Pass, type Report, type RowContext } from "../form/report.js";

interface PageRow {
  readonly rows: Rows;
  readonly row: number;
  readonly createdAtMs: number;
}

interface SearchState {
  /** Page size plus one, to detect a further page. */
  readonly wantedCount: number;
  readonly after: CursorPosition | null;
  readonly afterKey: EventKey;
  readonly sequence: number;
  /** Newest first, at most `wantedCount`. */
  found: PageRow[];
}

/** Matching events, newest first, one page at a time. Reads days from the newest on until the page is full. */
export const searchEvents: Report<SearchEventsPlan, FoundEvents> = {
  prepare: (plan, context) =>
    onePass(searchPass(plan, context), async ({ found, sequence }) => {
      const page = found.slice(0, plan.limit);
      const events = await eventsOf(page, plan.allFields, context);
      const last = page.at(-1);
      if (found.length <= plan.limit || last === undefined) return { next: null, events };
      const id = new RecordReader(context.dictionaries).id(last.rows, last.row);
      return { next: { createdAtMs: last.createdAtMs, id, project: last.rows.projectOf(last.row), sequence }, events };
    }),
};

function searchPass(plan: SearchEventsPlan, { sequence }: RowContext): Pass<SearchState> {
  const { cursor } = plan;
  return {
    scopes: [plan],
    keepsRows: true,
    columns: [TIME_COLUMN, ID_COLUMN, SEQUENCE_COLUMN],
    begin: () => ({
      wantedCount: plan.limit + 1,
      after: cursor,
      afterKey: { id: parseUuid(cursor?.id ?? "") ?? new Uint8Array(16), project: cursor?.project ?? "" },
      sequence: cursor?.sequence ?? sequence,
      found: [],
    }),
    scan: (state, rows, [selector]) => {
      const selection = select(rows, selector);
      mergeFound(state, rows.sealed ? lastRows(state, rows, selection) : newestRows(state, rows, selectedRows(selection)));
    },
    isDone: ({ found, wantedCount }, day) => found.length === wantedCount && (found.at(-1)?.rows.day ?? day) > day,
  };
}

/** For rows in order: reads from the last one until enough are found. */
function lastRows(state: SearchState, rows: Rows, selection: Selection): PageRow[] {
  const found: PageRow[] = [];
  for (const row of rowsDown(selection)) {
    if (found.length === state.wantedCount) break;
    if (isVisible(state, rows, row)) found.push(foundAt(rows, row));
  }
  return found;
}

/** For rows in order of arrival: reads all of them and sorts. */
function newestRows(state: SearchState, rows: Rows, selected: Uint32Array): PageRow[] {
  const found: PageRow[] = [];
  for (const row of selected) if (isVisible(state, rows, row)) found.push(foundAt(rows, row));
  return found.sort(compareFound).slice(0, state.wantedCount);
}

function foundAt(rows: Rows, row: number): PageRow {
  return { rows, row, createdAtMs: dayStartMs(rows.day) + rows.times()[row]! };
}

/** Whether a row comes after the cursor and was stored before the search began. */
function isVisible(state: SearchState, rows: Rows, row: number): boolean {
  if (rows.sequences()[row]! > state.sequence) return false;
  const { after } = state;
  if (after === null) return true;
  const createdAtMs = dayStartMs(rows.day) + rows.times()[row]!;
  if (createdAtMs !== after.createdAtMs) return createdAtMs < after.createdAtMs;
  return compareWithKey(rows, row, state.afterKey) < 0;
}

/** Newest first; at one millisecond the greater id first, then the greater project. */
function compareFound(a: PageRow, b: PageRow): number {
  return b.createdAtMs - a.createdAtMs || compareEvents(b.rows, b.row, a.rows, a.row);
}

function mergeFound(state: SearchState, found: readonly PageRow[]): void {
  if (found.length === 0) return;
  state.found = [...state.found, ...found].sort(compareFound).slice(0, state.wantedCount);
}

async function eventsOf(page: readonly PageRow[], allFields: boolean, context: RowContext): Promise<EventRecord[]> {
  const rowsOf = new Map<Rows, number[]>();
  for (const { rows, row } of page) rowsOf.set(rows, [...(rowsOf.get(rows) ?? []), row]);
  for (const [rows, selected] of rowsOf) await loadRecords(rows, selected, context.dictionaries, allFields ? undefined : RECORD_FIELDS);
  const reader = new RecordReader(context.dictionaries);
  if (!allFields) return page.map(({ rows, row }) => reader.record(rows, row));
  const identityIdOf = identityIds(context);
  return page.map(({ rows, row }) => reader.found(rows, row, identityIdOf(rows, row)));
}

/** Identity ids of rows; each id is hashed once. */
function identityIds({ identities }: RowContext): (rows: Rows, row: number) => string | null {
  const ids = new Map<number, string>();
  return (rows, row) => {
    const actor = actorOf(codeAt(rows.column("userId"), row), codeAt(rows.column("anonymousId"), row));
    if (actor === 0) return null;
    const identity = identities.identityOf(actor);
    const id = ids.get(identity) ?? identities.identityId(identity);
    ids.set(identity, id);
    return id;
  };
}
