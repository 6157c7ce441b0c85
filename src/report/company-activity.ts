/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows and places are bounded by their columns */
import { assert } from "../base/assert.js";
import { dayStartMs } from "../base/time.js";
import { allocateCodes, type Codes } from "../column/codes.js";
import { denseCodes } from "../column/column.js";
import { firstAtLeast } from "../column/search.js";
import type { Range } from "../plan/plan.js";
import { ID_COLUMN, TIME_COLUMN } from "../schema/fields.js";
import type { Rows } from "../segment/rows.js";
import { actorOf } from "../segment/who.js";
import { ActivityTable, pairOf, type Activity } from "./activity-table.js";
import { COMPANY_READER_COLUMNS, CompanyReader } from "./company-rows-reader.js";
import type { ReportContext } from "./report.js";
import { rowsOfLoaded } from "./rows-by-actor.js";

/**
 * Who was active for which company within one segment or head: pairs company by company, 20 bytes each. An identity of
 * several ids may be in several pairs of one company; 0 is nobody.
 */
export interface CompanyActivity {
  /** Ascending. Pairs of the company at `place` are those from `starts[place]` to before `starts[place + 1]`. */
  readonly companies: Uint32Array;
  readonly starts: Uint32Array;
  /** Of all pairs of the company at `place`. */
  readonly companyEventCounts: Uint32Array;
  readonly companyNewestMs: Float64Array;
  readonly identities: Uint32Array;
  readonly eventCounts: Uint32Array;
  /** Epoch ms. */
  readonly newestMs: Float64Array;
}

/**
 * The activity of each part within a window. That of a whole sealed segment is kept until the segment changes, or somebody's
 * identity or company; so is, of those that a window cuts, which pair a row belongs to. Cost of a segment that is cut: 3 ns a
 * row; of a head: 50.
 * @param parts those with rows in the window, pinned
 * @param only the one company that is asked for: activities of others may be missing
 */
export async function companyActivities(
  parts: readonly Rows[],
  window: Range,
  context: ReportContext,
  only: number | null = null,
): Promise<CompanyActivity[]> {
  const activities: CompanyActivity[] = [];
  for (const rows of parts) {
    if (!rows.sealed && !(rows.settled && isWithin(rows, window))) {
      await loadColumns(rows, COMPANY_READER_COLUMNS);
      activities.push(await activityOf(rows, actorsOf(rows, window), window, context));
      continue;
    }
    const whole = await wholeActivity(rows, context);
    activities.push(isWithin(rows, window) ? whole : await cutActivity(rows, whole, window, context, only));
  }
  return activities;
}

/** Kept for sealed segments. */
async function wholeActivity(rows: Rows, context: ReportContext): Promise<CompanyActivity> {
  const { identities, companies } = context;
  assert(companies !== null, "the report says that it asks companies");
  const known = rows.kept("companyActivity", [identities, companies]) as CompanyActivity | null;
  if (known !== null) return known;
  await loadColumns(rows, COMPANY_READER_COLUMNS);
  const actors = rows.derive("companyActors", () => actorsOf(rows, ALL_TIME), ({ whos }) => whos.length * 20);
  const activity = await activityOf(rows, actors, ALL_TIME, context);
  return rows.derive("companyActivity", () => activity, byteLengthOf, [identities, companies]);
}

function byteLengthOf({ companies, identities }: CompanyActivity): number {
  return companies.length * 20 + identities.length * 16;
}

const ALL_TIME: Range = { fromMs: -Infinity, toMs: Infinity };

/** The pairs of a whole segment's activity that have rows within the window. */
async function cutActivity(
  rows: Rows,
  whole: CompanyActivity,
  { fromMs, toMs }: Range,
  context: ReportContext,
  only: number | null,
): Promise<CompanyActivity> {
  await loadColumns(rows, [TIME_COLUMN]);
  const pairOfRow = await pairsOfRows(rows, whole, context);
  const [firstPlace, endPlace] = only === null ? [0, whole.companies.length] : placesOfCompany(whole.companies, only);
  const [first, end] = [whole.starts[firstPlace]!, whole.starts[endPlace]!];
  const eventCounts = new Uint32Array(end - first);
  const newestMs = new Float64Array(end - first);
  const times = rows.times();
  const startMs = dayStartMs(rows.day);
  const endRow = firstAtLeast(times, toMs - startMs);
  for (let row = firstAtLeast(times, fromMs - startMs); row < endRow; row += 1) {
    const pair = pairOfRow[row]!;
    if (pair < first || pair >= end) continue;
    eventCounts[pair - first]! += 1;
    newestMs[pair - first] = startMs + times[row]!;
  }
  const pairs = new ActivityTable();
  for (let place = firstPlace; place < endPlace; place += 1)
    for (let pair = whole.starts[place]!; pair < whole.starts[place + 1]!; pair += 1)
      if (eventCounts[pair - first] !== 0) pairs.add(whole.identities[pair]!, whole.companies[place]!, eventCounts[pair - first]!, newestMs[pair - first]!);
  return byCompany(pairs.take());
}

/** The pair of each row in a segment's activity; one behind the last for rows without. Kept like the activity. 2 or 4 bytes a row. */
async function pairsOfRows(rows: Rows, whole: CompanyActivity, context: ReportContext): Promise<Codes> {
  const known = rows.kept("companyPairs", [whole]) as Codes | null;
  if (known !== null) return known;
  const hasChanges = context.companies?.hasChanges === true;
  await loadColumns(rows, hasChanges ? [...COMPANY_READER_COLUMNS, ID_COLUMN] : COMPANY_READER_COLUMNS);
  const places = new Map<number, number>();
  for (const [place, company] of whole.companies.entries())
    for (let at = whole.starts[place]!; at < whole.starts[place + 1]!; at += 1) places.set(pairOf(whole.identities[at]!, company), at);
  const reader = new CompanyReader(rows, context);
  const none = whole.identities.length;
  const pairs = allocateCodes(rows.rowCount, none);
  for (let row = 0; row < rows.rowCount; row += 1) {
    const identity = reader.identityOf(row);
    const company = reader.companyOf(row, identity);
    pairs[row] = company === 0 ? none : places.get(pairOf(identity, company)) ?? none;
  }
  return rows.derive("companyPairs", () => pairs, ({ byteLength }) => byteLength, [whole]);
}

function isWithin({ day, minMs, maxMs }: Rows, { fromMs, toMs }: Range): boolean {
  return dayStartMs(day) + minMs >= fromMs && dayStartMs(day) + maxMs < toMs;
}

async function loadColumns(rows: Rows, columns: readonly string[]): Promise<void> {
  const loading = rows.load(columns);
  if (loading !== null) await loading;
}

/** Events within the window by actor and the company that they name themselves: what no link and no membership changes. */
function actorsOf(rows: Rows, { fromMs, toMs }: Range): Activity {
  const table = new ActivityTable();
  const users = denseCodes(rows.column("userId"));
  const anonymous = denseCodes(rows.column("anonymousId"));
  const companies = rows.zone("companyId") === null ? null : denseCodes(rows.column("companyId"));
  const times = rows.times();
  const startMs = dayStartMs(rows.day);
  const first = rows.sealed ? firstAtLeast(times, fromMs - startMs) : 0;
  const last = rows.sealed ? firstAtLeast(times, toMs - startMs) : rows.rowCount;
  for (let row = first; row < last; row += 1) {
    const ms = startMs + times[row]!;
    const actor = actorOf(users[row]!, anonymous[row]!);
    const company = companies === null ? 0 : companies[row]!;
    if ((actor !== 0 || company !== 0) && ms >= fromMs && ms < toMs) table.add(actor, company, 1, ms);
  }
  return table.take();
}

/** Folds actors onto identities; rows without a company of their own, of those who changed theirs, are asked one by one. */
async function activityOf(rows: Rows, actors: Activity, window: Range, context: ReportContext): Promise<CompanyActivity> {
  const { identities, companies } = context;
  const changing: number[] = [];
  for (let place = 0; place < actors.whos.length; place += 1)
    if (actors.companies[place] === 0 && companies?.onlyCompany(identities.identityOf(actors.whos[place]!)) === -1) changing.push(actors.whos[place]!);
  if (changing.length > 0) await loadColumns(rows, [ID_COLUMN]);
  const pairs = new ActivityTable();
  for (let place = 0; place < actors.whos.length; place += 1) {
    const identity = identities.identityOf(actors.whos[place]!);
    const company = actors.companies[place]! || (companies?.onlyCompany(identity) ?? 0);
    if (company > 0) pairs.add(identity, company, actors.eventCounts[place]!, actors.newestMs[place]!);
  }
  if (changing.length > 0) addChanging(pairs, rows, changing, window, context);
  return byCompany(pairs.take());
}

function addChanging(pairs: ActivityTable, rows: Rows, actors: number[], { fromMs, toMs }: Range, context: ReportContext): void {
  const reader = new CompanyReader(rows, context);
  for (const row of rowsOfLoaded(rows, actors.sort((a, b) => a - b))) {
    const ms = reader.msOf(row);
    if (reader.ownCompanyOf(row) !== 0 || ms < fromMs || ms >= toMs) continue;
    const identity = reader.identityOf(row);
    const company = reader.companyOf(row, identity);
    if (company !== 0) pairs.add(identity, company, 1, ms);
  }
}

function byCompany(pairs: Activity): CompanyActivity {
  const count = pairs.whos.length;
  const companies = pairs.companies.slice().sort().filter((company, at, all) => at === 0 || company !== all[at - 1]);
  const placeOf = new Map<number, number>();
  companies.forEach((company, place) => placeOf.set(company, place));
  const starts = new Uint32Array(companies.length + 1);
  for (let at = 0; at < count; at += 1) starts[placeOf.get(pairs.companies[at]!)! + 1]! += 1;
  for (let place = 0; place < companies.length; place += 1) starts[place + 1]! += starts[place]!;
  const next = starts.slice();
  const activity = {
    companies,
    starts,
    companyEventCounts: new Uint32Array(companies.length),
    companyNewestMs: new Float64Array(companies.length),
    identities: new Uint32Array(count),
    eventCounts: new Uint32Array(count),
    newestMs: new Float64Array(count),
  };
  for (let at = 0; at < count; at += 1) {
    const place = placeOf.get(pairs.companies[at]!)!;
    const into = next[place]!;
    next[place]! += 1;
    activity.identities[into] = pairs.whos[at]!;
    activity.eventCounts[into] = pairs.eventCounts[at]!;
    activity.newestMs[into] = pairs.newestMs[at]!;
    activity.companyEventCounts[place]! += pairs.eventCounts[at]!;
    activity.companyNewestMs[place] = Math.max(activity.companyNewestMs[place]!, pairs.newestMs[at]!);
  }
  return activity;
}

/** The place of a company and the one behind it; twice the same for a company without pairs. */
export function placesOfCompany(companies: Uint32Array, company: number): [place: number, end: number] {
  const place = firstAtLeast(companies, company);
  return [place, companies[place] === company ? place + 1 : place];
}
