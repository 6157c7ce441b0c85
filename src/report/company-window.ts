/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows and places are bounded by their columns */
import { assert } from "../base/assert.js";
import { dayStartMs } from "../base/time.js";
import { denseCodes } from "../column/column.js";
import type { Range } from "../plan/plan.js";
import { ID_COLUMN } from "../schema/fields.js";
import type { Rows } from "../segment/rows.js";
import { ActivityTable } from "./activity-table.js";
import { COMPANY_READER_COLUMNS, CompanyReader } from "./company-rows-reader.js";
import type { ReportContext } from "./report.js";
import { actorOf, rowsOfLoaded } from "./rows-by-actor.js";

/** Sums by company code over the pairs of a table. */
export interface CompanyTotals {
  readonly eventCounts: Float64Array;
  /** Identified identities. */
  readonly userCounts: Float64Array;
  /** Epoch ms; -1 where there are no events. */
  readonly newestMs: Float64Array;
}

/** Who was active for which company in whole segments, where that does not depend on the time of the event. */
export interface CompanyMembers {
  readonly parts: readonly Rows[];
  readonly table: ActivityTable;
  readonly totals: CompanyTotals;
  /** Rows without a company of their own, of identities that changed theirs: to be asked one by one. */
  readonly changed: readonly { readonly rows: Rows; readonly list: Uint32Array }[];
}

/** Who was active for which company within a window: two tables of (identity, company), to be added up. */
export interface CompanyActivity {
  /** The same object as long as neither its segments nor identities nor companies change. */
  readonly members: CompanyMembers;
  /** The rows of `cut`, and those of identities that changed their company. */
  readonly edges: ActivityTable;
  /** Segments that the window cuts, and heads. */
  readonly cut: readonly Rows[];
}

/** The segments and heads with rows in a window. */
export function partsOfWindow(parts: readonly Rows[], { fromMs, toMs }: Range): Rows[] {
  return parts.filter(({ day, minMs, maxMs }) => dayStartMs(day) + maxMs >= fromMs && dayStartMs(day) + minMs < toMs);
}

/**
 * The activity within a window. Sealed segments that lie wholly in it are folded once and kept until they change, or
 * somebody's identity or company does. Cost: the rows of the days at the window's edges and of the heads.
 * @param parts those with rows in the window, pinned
 */
export async function companyActivityOf(parts: readonly Rows[], window: Range, context: ReportContext): Promise<CompanyActivity> {
  const { identities, companies, memo } = context;
  assert(companies !== null, "the report says that it asks companies");
  await loadAll(parts, COMPANY_READER_COLUMNS);
  const whole = parts.filter((rows) => rows.sealed && isWithin(rows, window));
  const actors = memo.of("companyActors", whole, () => actorsOf(whole));
  const members = memo.of("companyMembers", [actors, identities, companies], () => membersOf(actors, whole, context));
  const cut = parts.filter((rows) => !whole.includes(rows));
  await loadAll([...members.changed.map(({ rows }) => rows), ...(companies.hasChanges ? cut : [])], [ID_COLUMN]);
  const edges = new ActivityTable();
  for (const { rows, list } of members.changed) {
    const reader = new CompanyReader(rows, context);
    for (const row of list) addRow(edges, reader, row);
  }
  for (const rows of cut) {
    const reader = new CompanyReader(rows, context);
    for (let row = 0; row < rows.rowCount; row += 1) {
      const ms = reader.msOf(row);
      if (ms >= window.fromMs && ms < window.toMs) addRow(edges, reader, row);
    }
  }
  return { members, edges, cut };
}

function isWithin({ day, minMs, maxMs }: Rows, { fromMs, toMs }: Range): boolean {
  return dayStartMs(day) + minMs >= fromMs && dayStartMs(day) + maxMs < toMs;
}

async function loadAll(parts: readonly Rows[], columns: readonly string[]): Promise<void> {
  for (const rows of parts) {
    const loading = rows.load(columns);
    if (loading !== null) await loading;
  }
}

function addRow(table: ActivityTable, reader: CompanyReader, row: number): void {
  const identity = reader.identityOf(row);
  const company = reader.companyOf(row, identity);
  if (company !== 0) table.add(identity, company, 1, reader.msOf(row));
}

/** Events by actor and the company that they name themselves: what no link and no membership changes. */
function actorsOf(parts: readonly Rows[]): ActivityTable {
  const table = new ActivityTable();
  for (const rows of parts) {
    const users = denseCodes(rows.column("userId"));
    const anonymous = denseCodes(rows.column("anonymousId"));
    const companies = rows.zone("companyId") === null ? null : denseCodes(rows.column("companyId"));
    const times = rows.times();
    const startMs = dayStartMs(rows.day);
    for (let row = 0; row < rows.rowCount; row += 1) {
      const actor = actorOf(users[row]!, anonymous[row]!);
      const company = companies === null ? 0 : companies[row]!;
      if (actor !== 0 || company !== 0) table.add(actor, company, 1, startMs + times[row]!);
    }
  }
  return table;
}

function membersOf(actors: ActivityTable, parts: readonly Rows[], context: ReportContext): CompanyMembers {
  const { identities, companies } = context;
  const table = new ActivityTable();
  const changedActors: number[] = [];
  for (let place = 0; place < actors.count; place += 1) {
    const actor = actors.whos[place]!;
    const identity = identities.identityOf(actor);
    const company = actors.companies[place]! || (companies?.onlyCompany(identity) ?? 0);
    if (company > 0) table.add(identity, company, actors.eventCounts[place]!, actors.newestMs[place]!);
    else if (company === -1) changedActors.push(actor);
  }
  const changed = unstampedRows(parts, changedActors.sort((a, b) => a - b));
  return { parts, table, totals: totalsOf(table, context), changed };
}

function unstampedRows(parts: readonly Rows[], actors: readonly number[]): CompanyMembers["changed"] {
  if (actors.length === 0) return [];
  return parts.flatMap((rows) => {
    const companies = denseCodes(rows.column("companyId"));
    const list = rowsOfLoaded(rows, actors).filter((row) => companies[row] === 0);
    return list.length === 0 ? [] : [{ rows, list }];
  });
}

function totalsOf(table: ActivityTable, { dictionaries, identities }: ReportContext): CompanyTotals {
  const { size } = dictionaries.named("companyId");
  const totals = { eventCounts: new Float64Array(size), userCounts: new Float64Array(size), newestMs: new Float64Array(size).fill(-1) };
  for (let place = 0; place < table.count; place += 1) {
    const [identity, company] = [table.whos[place]!, table.companies[place]!];
    totals.eventCounts[company]! += table.eventCounts[place]!;
    totals.newestMs[company] = Math.max(totals.newestMs[company]!, table.newestMs[place]!);
    if (identity !== 0 && identities.isIdentified(identity)) totals.userCounts[company]! += 1;
  }
  return totals;
}

/** The totals of both tables of an activity. */
export function allTotals({ members: { table, totals }, edges }: CompanyActivity, context: ReportContext): CompanyTotals {
  const { size } = context.dictionaries.named("companyId");
  const all = {
    eventCounts: grown(totals.eventCounts, size, 0),
    userCounts: grown(totals.userCounts, size, 0),
    newestMs: grown(totals.newestMs, size, -1),
  };
  for (let place = 0; place < edges.count; place += 1) {
    const [identity, company] = [edges.whos[place]!, edges.companies[place]!];
    all.eventCounts[company]! += edges.eventCounts[place]!;
    all.newestMs[company] = Math.max(all.newestMs[company]!, edges.newestMs[place]!);
    const isNew = identity !== 0 && table.find(identity, company) === -1;
    if (isNew && context.identities.isIdentified(identity)) all.userCounts[company]! += 1;
  }
  return all;
}

/** A copy with room for the companies that came since. */
function grown(values: Float64Array, size: number, rest: number): Float64Array {
  const copy = new Float64Array(size).fill(rest);
  copy.set(values);
  return copy;
}
