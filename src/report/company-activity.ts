/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows and places are bounded by their columns */
import { assert } from "../base/assert.js";
import { dayStartMs } from "../base/time.js";
import { denseCodes } from "../column/column.js";
import type { Range } from "../plan/plan.js";
import { ID_COLUMN } from "../schema/fields.js";
import type { Rows } from "../segment/rows.js";
import { ActivityTable } from "./activity-table.js";
import { COMPANY_READER_COLUMNS, CompanyReader } from "./company-rows-reader.js";
import { Kept } from "./kept.js";
import type { ReportContext } from "./report.js";
import { actorOf, rowsOfLoaded } from "./rows-by-actor.js";

/**
 * Who was active for which company within one segment or head: pairs company by company, 20 bytes each. An identity of
 * several ids may be in several pairs of one company; 0 is nobody.
 */
export interface CompanyActivity {
  /** Ascending. Pairs of the company at `place` are those from `starts[place]` to before `starts[place + 1]`. */
  readonly companies: Uint32Array;
  readonly starts: Uint32Array;
  readonly identities: Uint32Array;
  readonly eventCounts: Uint32Array;
  /** Epoch ms. */
  readonly newestMs: Float64Array;
}

/**
 * The activity of each part within a window. That of a sealed segment that lies wholly in it is kept until the segment
 * changes, or somebody's identity or company. Cost of others: their rows.
 * @param parts those with rows in the window, pinned
 */
export async function companyActivities(parts: readonly Rows[], window: Range, context: ReportContext): Promise<CompanyActivity[]> {
  const { identities, companies } = context;
  assert(companies !== null, "the report says that it asks companies");
  const activities: CompanyActivity[] = [];
  for (const rows of parts) {
    if (!isWithin(rows, window)) {
      await loadColumns(rows, COMPANY_READER_COLUMNS);
      activities.push(await activityOf(rows, actorsIn(rows, window), window, context));
      continue;
    }
    const kept = rows.derive("companyActivity", () => new Kept<CompanyActivity>(), () => rows.rowCount * BYTES_PER_ROW, [identities, companies]);
    activities.push(await kept.of(async () => {
      await loadColumns(rows, COMPANY_READER_COLUMNS);
      const actors = rows.derive("companyActors", () => actorsIn(rows, window), (table) => table.count * 20);
      return await activityOf(rows, actors, window, context);
    }));
  }
  return activities;
}

/** What an activity costs, as an estimate before it is made. */
const BYTES_PER_ROW = 4;

function isWithin({ day, minMs, maxMs }: Rows, { fromMs, toMs }: Range): boolean {
  return dayStartMs(day) + minMs >= fromMs && dayStartMs(day) + maxMs < toMs;
}

async function loadColumns(rows: Rows, columns: readonly string[]): Promise<void> {
  const loading = rows.load(columns);
  if (loading !== null) await loading;
}

/** Events within the window by actor and the company that they name themselves: what no link and no membership changes. */
function actorsIn(rows: Rows, { fromMs, toMs }: Range): ActivityTable {
  const table = new ActivityTable();
  const users = denseCodes(rows.column("userId"));
  const anonymous = denseCodes(rows.column("anonymousId"));
  const companies = rows.zone("companyId") === null ? null : denseCodes(rows.column("companyId"));
  const times = rows.times();
  const startMs = dayStartMs(rows.day);
  for (let row = 0; row < rows.rowCount; row += 1) {
    const ms = startMs + times[row]!;
    const actor = actorOf(users[row]!, anonymous[row]!);
    const company = companies === null ? 0 : companies[row]!;
    if ((actor !== 0 || company !== 0) && ms >= fromMs && ms < toMs) table.add(actor, company, 1, ms);
  }
  return table.trimmed();
}

/** Folds actors onto identities; rows without a company of their own, of those who changed theirs, are asked one by one. */
async function activityOf(rows: Rows, actors: ActivityTable, window: Range, context: ReportContext): Promise<CompanyActivity> {
  const { identities, companies } = context;
  const pairs = new ActivityTable();
  const changing: number[] = [];
  for (let place = 0; place < actors.count; place += 1) {
    const actor = actors.whos[place]!;
    const identity = identities.identityOf(actor);
    const company = actors.companies[place]! || (companies?.onlyCompany(identity) ?? 0);
    if (company > 0) pairs.add(identity, company, actors.eventCounts[place]!, actors.newestMs[place]!);
    else if (company === -1) changing.push(actor);
  }
  if (changing.length > 0) {
    await loadColumns(rows, [ID_COLUMN]);
    const reader = new CompanyReader(rows, context);
    for (const row of rowsOfLoaded(rows, changing.sort((a, b) => a - b))) {
      const ms = reader.msOf(row);
      if (reader.ownCompanyOf(row) !== 0 || ms < window.fromMs || ms >= window.toMs) continue;
      const identity = reader.identityOf(row);
      const company = reader.companyOf(row, identity);
      if (company !== 0) pairs.add(identity, company, 1, ms);
    }
  }
  return byCompany(pairs);
}

function byCompany(pairs: ActivityTable): CompanyActivity {
  const { count } = pairs;
  const companies = pairs.companies.slice(0, count).sort().filter((company, at, all) => at === 0 || company !== all[at - 1]);
  const placeOf = new Map<number, number>();
  companies.forEach((company, place) => placeOf.set(company, place));
  const starts = new Uint32Array(companies.length + 1);
  for (let at = 0; at < count; at += 1) starts[placeOf.get(pairs.companies[at]!)! + 1]! += 1;
  for (let place = 0; place < companies.length; place += 1) starts[place + 1]! += starts[place]!;
  const next = starts.slice();
  const activity = { companies, starts, identities: new Uint32Array(count), eventCounts: new Uint32Array(count), newestMs: new Float64Array(count) };
  for (let at = 0; at < count; at += 1) {
    const place = placeOf.get(pairs.companies[at]!)!;
    const into = next[place]!;
    next[place]! += 1;
    activity.identities[into] = pairs.whos[at]!;
    activity.eventCounts[into] = pairs.eventCounts[at]!;
    activity.newestMs[into] = pairs.newestMs[at]!;
  }
  return activity;
}
