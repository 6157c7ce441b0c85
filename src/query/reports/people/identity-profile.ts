/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by their lists */
import { parameterError, shown } from "../../../core/base/errors.js";
import type { Dictionaries } from "../../../storage/column/dictionaries.js";
import { isActorBefore, type IdentityView } from "../../../identity/identity-view.js";
import type { IdentityScope, Range, SessionRule, IdentityProfilePlan, IdentityReferrersPlan, IdentityDeviceGeoPlan } from "../../plan/plan.js";
import type { TableSnapshot } from "../../tables/tables.js";
import { eachLoaded, type Timeline, type TimelineSpan } from "../../tables/people/timelines.js";
import { SEQUENCE_COLUMN } from "../../../core/schema/fields.js";
import type { IdentityProfile, IdentityReferrers, DeviceGeo, IdentityDeviceGeo } from "../../plan/answers.js";
import { dayOf, isoOf } from "../../../core/base/time.js";
import { ZERO, addMoney, majorUnits, type Money } from "../../answer/money.js";
import { paymentsOf, type PaymentOf } from "../../tables/money/payments.js";
import { whilePinned, type Rows } from "../../../storage/segment/rows.js";
import { codeAt } from "../../../storage/column/column.js";
import { sessionize, sessionFigures, type Sessions } from "../../answer/sessionize.js";
import type { TableReport } from "../form/report.js";
import { rankCounts } from "../../answer/ranked-items.js";
import { compareCodePoints } from "../../../core/base/text-order.js";
import { runYielding, piecesOf, type Steps } from "../../../core/base/yield.js";

/** The identity that a query is about, and the ids under which events name it. */
interface ResolvedPerson {
  readonly identity: number;
  /** Ascending. */
  readonly actors: readonly number[];
}

/** The identity that a plan names. @throws identity_not_found */
export function personOf({ person }: IdentityScope, { identities, ends }: TableSnapshot): ResolvedPerson {
  const [name, id, identity] =
    person.kind === "email"
      ? (["email", person.email, identities.findEmail(person.email)] as const)
      : (["userId", person.userId, identities.findId(person.userId)] as const);
  if (identity === 0 || !isActorBefore(identity, ends)) throw parameterError("identity_not_found", name, `no person has the identifier ${shown(id)}`);
  return { identity, actors: [...identities.actorsOf(identity)].sort((a, b) => a - b) };
}

/** What a result is computed from, once the events of the person are read. */
export interface PersonEvents extends ResolvedPerson {
  readonly timeline: Timeline;
  readonly dictionaries: Dictionaries;
  readonly identities: IdentityView;
  readonly sequence: number;
  readonly pause: () => Promise<void>;
}

/**
 * Computes a result from all events of one identity. Cost: a search in each segment not searched for it recently, and its rows.
 * @param upTo greatest sequence of the rows that count; null: that of the snapshot
 * @param needed the range of the events that the result depends on; events outside of it may be missing then
 */
export async function withEventsOf<A>(
  person: ResolvedPerson,
  { rows, tables, pause, onRowsRead, dictionaries, identities, sequence }: TableSnapshot,
  upTo: number | null,
  answer: (events: PersonEvents) => Promise<A>,
  needed?: Range,
): Promise<A> {
  const timeline = await tables.timelines.of(person, rows, upTo, { pause, onRowsRead }, needed);
  return await answer({ ...person, timeline, dictionaries, identities, sequence, pause });
}

/** The revenue events of a timeline by index, including duplicates, and their amount in the reporting currency; null if they do not count. */
export type TimelineMoney = ReadonlyMap<number, Money | null>;

/** Finds the payments of an identity in its timeline. Sequences distinguish events of the same millisecond. Cost: one search per payment. */
export async function moneyOn(timeline: Timeline, payments: readonly PaymentOf[]): Promise<TimelineMoney> {
  const money = new Map<number, Money | null>();
  for (const { ms, sequence, amount } of payments) {
    const at = await placeOf(timeline, ms, sequence);
    if (at !== -1) money.set(at, amount);
  }
  return money;
}

async function placeOf(timeline: Timeline, ms: number, sequence: number): Promise<number> {
  const first = timeline.firstAt(ms);
  const isOnly = first < timeline.count && timeline.times[first] === ms && timeline.times[first + 1] !== ms;
  if (isOnly || timeline.times[first] !== ms) return isOnly ? first : -1;
  for (let at = first; at < timeline.count && timeline.times[at] === ms; at += 1) {
    const rows = timeline.rowsAt(at);
    if (sequence < rows.firstSequence || sequence > rows.lastSequence) continue;
    const found = await whilePinned([rows], async () => {
      await rows.load([SEQUENCE_COLUMN]);
      return rows.sequences()[timeline.rows[at]!] === sequence;
    });
    if (found) return at;
  }
  return -1;
}

const PLACE_COLUMNS = ["url", "hostname"] as const;

/** All sessions of an identity. Leaves out payments that a server reported, which have neither url nor hostname. */
export async function sessionsOf(timeline: Timeline, money: TimelineMoney, rule: SessionRule, pause: () => Promise<void>): Promise<Sessions> {
  const leftOut = new Uint8Array(timeline.count);
  const paid = new Set(Array.from(money.keys(), (at) => timeline.spanPlace(at)));
  const spans = timeline.spans.filter(({ rows }, place) => paid.has(place) && !PLACE_COLUMNS.some((column) => isEverywhere(rows, column)));
  await eachLoaded(spans, () => PLACE_COLUMNS, (span) => markLeftOut(timeline, span, money, leftOut), pause);
  const [projects] = await timeline.codes(["project"], pause);
  return sessionize(timeline.times, projects, leftOut, rule);
}

/** Whether all rows have a value, by the zone map alone. */
function isEverywhere(rows: Rows, column: string): boolean {
  return rows.zone(column)?.hasZero === false;
}

function markLeftOut(timeline: Timeline, { rows, from, to }: TimelineSpan, money: TimelineMoney, leftOut: Uint8Array): void {
  const urls = rows.column("url");
  const hostnames = rows.column("hostname");
  for (let at = from; at < to; at += 1) {
    const row = timeline.rows[at]!;
    if (codeAt(urls, row) === 0 && codeAt(hostnames, row) === 0 && money.has(at)) leftOut[at] = 1;
  }
}

export function pageviewCodes(dictionaries: Dictionaries, slugs: readonly string[]): ReadonlySet<number> {
  const dictionary = dictionaries.named("slug");
  return new Set(slugs.map((slug) => dictionary.codeOf(slug)).filter((code) => code > 0));
}

/** Figures of an identity's activity within the window. */
export const identityProfile: TableReport<IdentityProfilePlan, IdentityProfile> = {
  answer: (plan, moment, pending) => {
    const { window, session, pageviewSlugs, revenue } = plan;
    const person = personOf(plan, moment);
    const table = moment.tables.revenue(revenue, moment, pending);
    if (table === null) return null;
    const payments = paymentsOf(table, person.actors, moment.rates);
    return withEventsOf(person, moment, null, async ({ identity, identities, timeline, dictionaries, pause }) => {
      const money = await moneyOn(timeline, payments);
      const from = timeline.firstAt(window.fromMs);
      const to = timeline.firstAt(window.toMs);
      const pageviews = pageviewCodes(dictionaries, pageviewSlugs);
      const [slugs] = await timeline.codes(["slug"], pause, from, to);
      return {
        identityId: identities.identityId(identity),
        events: to - from,
        pageviews: slugs.reduce((count, slug) => count + (pageviews.has(slug) ? 1 : 0), 0),
        ...sessionFigures(await sessionsOf(timeline, money, session, pause), timeline.times, window),
        activeDays: countDays(timeline.times.subarray(from, to)),
        firstSeen: timeline.count === 0 ? null : isoOf(timeline.times[0]!),
        lastSeen: timeline.count === 0 ? null : isoOf(timeline.times[timeline.count - 1]!),
        revenue: majorUnits(sumAmounts(money, from, to), revenue.currency),
        currency: revenue.currency,
      };
    });
  },
};

/** Number of distinct days. @param times ascending */
function countDays(times: Float64Array): number {
  let count = 0;
  let last = -1;
  for (const ms of times) {
    const day = dayOf(ms);
    if (day !== last) count += 1;
    last = day;
  }
  return count;
}

function sumAmounts(money: TimelineMoney, from: number, to: number): Money {
  let sum = ZERO;
  for (const [at, amount] of money) if (at >= from && at < to && amount !== null) sum = addMoney(sum, amount);
  return sum;
}

/** The referrers of an identity within the window: events per referrer, as stored. */
export const identityReferrers: TableReport<IdentityReferrersPlan, IdentityReferrers> = {
  answer: (plan, moment) => {
    const { window, limit } = plan;
    return withEventsOf(personOf(plan, moment), moment, null, async ({ identity, identities, timeline, dictionaries, pause }) => {
      const [codes] = await timeline.codes(["referrer"], pause, timeline.firstAt(window.fromMs), timeline.firstAt(window.toMs));
      const { values, counts } = countCodes(codes);
      const dictionary = dictionaries.named("referrer");
      const items = rankCounts(counts, { propertyOf: (place) => dictionary.valueOf(values[place] ?? 0) }, limit);
      return {
        identityId: identities.identityId(identity),
        referrers: items.map(({ property, count }) => ({ referrer: property, count })),
      };
    }, window);
  },
};

/** Distinct codes except 0, and the count of each. */
function countCodes(codes: Uint32Array): { values: number[]; counts: Uint32Array } {
  const countOf = new Map<number, number>();
  for (const code of codes) if (code !== 0) countOf.set(code, (countOf.get(code) ?? 0) + 1);
  return { values: [...countOf.keys()], counts: Uint32Array.from(countOf.values()) };
}

/** Columns that define a combination, in order of comparison. */
const GROUP_COLUMNS = [
  "device", "os", "browser", "screen", "language", "location_country", "location_region", "location_city",
] as const;
const COLUMNS = [...GROUP_COLUMNS, "location_lat", "location_lon"] as const;
const HISTORY_LIMIT = 100;

/** Events with equal values in all group columns; indexes count from the start of the window. */
interface Group {
  readonly firstPlace: number;
  lastPlace: number;
  eventCount: number;
}

/** Devices and locations of an identity within the window. */
export const identityDeviceGeo: TableReport<IdentityDeviceGeoPlan, IdentityDeviceGeo> = {
  answer: (plan, moment) => {
    const { window } = plan;
    return withEventsOf(personOf(plan, moment), moment, null, async ({ identity, identities, timeline, dictionaries, pause }) => {
      const from = timeline.firstAt(window.fromMs);
      const to = timeline.firstAt(window.toMs);
      const columns = await timeline.codes(COLUMNS, pause, from, to);
      const entry = (place: number) => deviceGeo(columns, place, dictionaries);
      const msOf = (place: number) => timeline.times[from + place]!;
      const newest = newestSet(columns, to - from);
      const groups = await runYielding(groupPlaces(columns.slice(0, GROUP_COLUMNS.length), to - from), pause);
      return {
        identityId: identities.identityId(identity),
        current: newest === -1 ? null : { ...entry(newest), seenAt: isoOf(msOf(newest)) },
        history: newestGroups(groups, msOf)
          .map((group) => ({ ...group, entry: entry(group.lastPlace), lastMs: msOf(group.lastPlace) }))
          .sort((a, b) => b.lastMs - a.lastMs || compareEntries(a.entry, b.entry))
          .slice(0, HISTORY_LIMIT)
          .map(({ firstPlace, eventCount, entry: shown, lastMs }) =>
            ({ ...shown, firstSeen: isoOf(msOf(firstPlace)), lastSeen: isoOf(lastMs), events: eventCount })),
      };
    }, window);
  },
};

/** The last index with any column set; -1 for none. */
function newestSet(columns: readonly Uint32Array[], count: number): number {
  for (let place = count - 1; place >= 0; place -= 1) if (columns.some((codes) => codes[place] !== 0)) return place;
  return -1;
}

/** Groups that may be among the last `HISTORY_LIMIT`, so that only their texts are read. Indexes ascend with time. */
function newestGroups(groups: Group[], msOf: (place: number) => number): Group[] {
  groups.sort((a, b) => b.lastPlace - a.lastPlace);
  const last = groups[HISTORY_LIMIT - 1];
  return last === undefined ? groups : groups.filter(({ lastPlace }) => msOf(lastPlace) >= msOf(last.lastPlace));
}

/** Indexes read per step. */
const PLACES_PER_STEP = 8_192;

/** Groups the indexes with any column set. People rarely change their device, so an index mostly belongs to the same group as the one before. */
function* groupPlaces(columns: readonly Uint32Array[], count: number): Steps<Group[]> {
  const groups: Group[] = [];
  const byHash = new Map<number, Group[]>();
  let last: Group | null = null;
  yield* piecesOf(count, PLACES_PER_STEP, (from, to) => {
    for (let place = from; place < to; place += 1) {
      if (last === null || !agree(columns, last.firstPlace, place)) last = findGroup(place);
      if (last === null) continue;
      last.lastPlace = place;
      last.eventCount += 1;
    }
  });
  return groups;

  function findGroup(place: number): Group | null {
    const hash = hashOf(columns, place);
    if (hash === 0 && columns.every((codes) => codes[place] === 0)) return null;
    const same = byHash.get(hash) ?? [];
    const known = same.find(({ firstPlace }) => agree(columns, firstPlace, place));
    if (known !== undefined) return known;
    const made = { firstPlace: place, lastPlace: place, eventCount: 0 };
    if (same.push(made) === 1) byHash.set(hash, same);
    groups.push(made);
    return made;
  }
}

function agree(columns: readonly Uint32Array[], a: number, b: number): boolean {
  for (const codes of columns) if (codes[a] !== codes[b]) return false;
  return true;
}

/** 0 for an index without any code. */
function hashOf(columns: readonly Uint32Array[], place: number): number {
  let hash = 0;
  for (const codes of columns) hash = Math.imul(hash, 0x01000193) ^ codes[place]!;
  return hash;
}

function deviceGeo(columns: readonly Uint32Array[], place: number, dictionaries: Dictionaries): DeviceGeo {
  const text = (column: (typeof COLUMNS)[number]): string | null => {
    const code = columns[COLUMNS.indexOf(column)]![place]!;
    return code === 0 ? null : dictionaries.named(column).valueOf(code);
  };
  return {
    device: text("device"),
    os: text("os"),
    browser: text("browser"),
    screen: text("screen"),
    language: text("language"),
    locationCountry: text("location_country"),
    locationRegion: text("location_region"),
    locationCity: text("location_city"),
    locationLat: text("location_lat"),
    locationLon: text("location_lon"),
  };
}

/** By code point in the order of the group columns, unset values first. */
function compareEntries(a: DeviceGeo, b: DeviceGeo): number {
  const keys = ["device", "os", "browser", "screen", "language", "locationCountry", "locationRegion", "locationCity"] as const;
  for (const key of keys) {
    const order = compareCodePoints(a[key] ?? "", b[key] ?? "");
    if (order !== 0) return order;
  }
  return 0;
}
