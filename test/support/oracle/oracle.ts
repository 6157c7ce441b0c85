import { DaybookError, parameterError } from "../../../src/core/base/errors.js";
import type {
  CompanyTopUsers,
  IdentityDeviceGeo,
  IdentityProfile,
  IdentityReferrers,
  IdentitySessionsPage,
  LtvCohorts,
  RevenueByAttribution,
  TopCompanies,
} from "../../../src/query/plan/answers.js";
import type {
  AggregateInput,
  AggregateItem,
  CompanyTopUsersInput,
  CountEventsInput,
  IdentityInput,
  IdentityReferrersInput,
  LtvCohortsInput,
  PerDayInput,
  PerDayItem,
  RevenueByAttributionInput,
  SegmentsInput,
  TopCompaniesInput,
  UniqueUsersInput,
  UniqueUsersPerDayInput,
} from "../../../src/query/plan/input.js";
import type { FoundEvent } from "../../../src/core/schema/event.js";
import { revenueByAttribution } from "./attribution.js";
import { companyTopUsers, topCompanies } from "./company-reports.js";
import { rangeOf } from "./dates.js";
import type { OracleEvent } from "./event.js";
import { fieldReader, isField, metadataReader } from "./field.js";
import type { History } from "./history.js";
import { identityId, type Identities } from "./identities.js";
import { identityDeviceGeo, identityProfile, identityReferrers, identitySessions } from "./identity-reports.js";
import { DAY_MS, type Span } from "./instant.js";
import { insightsOf, type Insights } from "./insights/insights.js";
import { byCodePoint, propertiesOf } from "./json.js";
import { ltvCohorts } from "./ltv.js";
import type { OracleOptions } from "./rules.js";
import { scopedEvents } from "./scope.js";
import { worldOf, type World } from "./world.js";

/** The right answers, from arrays and `filter()`: slow, and short enough to check by eye. */
export interface Oracle extends Insights {
  /** What `Daybook.countEvents` answers. */
  countEvents(input?: CountEventsInput & SegmentsInput): number;
  /** What `Daybook.countEventsPerDay` answers. */
  countEventsPerDay(input?: PerDayInput & SegmentsInput): PerDayItem[];
  /** What `Daybook.countEventsRunningTotalPerDay` answers. */
  countEventsRunningTotalPerDay(input?: PerDayInput & SegmentsInput): PerDayItem[];
  /** What `Daybook.countUniqueUsers` answers. */
  countUniqueUsers(input?: UniqueUsersInput & SegmentsInput): number;
  /** What `Daybook.countUniqueUsersPerDay` answers. */
  countUniqueUsersPerDay(input?: UniqueUsersPerDayInput & SegmentsInput): PerDayItem[];
  /** What `Daybook.aggregate` answers. */
  aggregate(input: AggregateInput & SegmentsInput): AggregateItem[];
  /** All matching events, newest first: the pages joined. */
  searchEvents(input?: CountEventsInput & SegmentsInput): FoundEvent[];
  /** All sessions of the window, newest first: the pages joined. */
  identitySessions(input: IdentityInput): Omit<IdentitySessionsPage, "cursor">;
  /** What `Daybook.identityProfile` answers. */
  identityProfile(input: IdentityInput): IdentityProfile;
  /** What `Daybook.identityReferrers` answers. */
  identityReferrers(input: IdentityReferrersInput): IdentityReferrers;
  /** What `Daybook.identityDeviceGeo` answers. */
  identityDeviceGeo(input: IdentityInput): IdentityDeviceGeo;
  /** What `Daybook.revenueByAttribution` answers. */
  revenueByAttribution(input: RevenueByAttributionInput): RevenueByAttribution;
  /** What `Daybook.ltvCohorts` answers. */
  ltvCohorts(input: LtvCohortsInput): LtvCohorts;
  /** What `Daybook.topCompanies` answers. */
  topCompanies(input?: TopCompaniesInput): TopCompanies;
  /** What `Daybook.companyTopUsers` answers. */
  companyTopUsers(input: CompanyTopUsersInput): CompanyTopUsers;
}

/**
 * Answers queries about a history of events and records, given in order of arrival while the clock stood at `nowMs`.
 * An event or record without an id gets one that no store would give it. Limits and enumerations are taken as they come,
 * so `Infinity` asks for all rows; in all else methods throw what a Daybook throws. The price of an answer grows with the
 * square of the history and faster: some hundred items are its measure.
 * @throws invalid_parameter, unknown_parameter
 */
export function oracle(history: History, options: OracleOptions): Oracle {
  const world = worldOf(history, options);
  const { identities } = world;
  const select = (input: CountEventsInput & SegmentsInput) => scopedEvents(world, input);
  return {
    countEvents: (input = {}) => select(input).length,
    countEventsPerDay: (input = {}) => perDay(select(input), (ofDay) => ofDay.length, input),
    countEventsRunningTotalPerDay: (input = {}) => {
      let total = 0;
      return perDay(select(input), (ofDay) => (total += ofDay.length), input);
    },
    countUniqueUsers: (input = {}) => uniqueCount(select(input), identities),
    countUniqueUsersPerDay: (input = {}) => {
      const withIdentity = select(input).filter((event) => identities.of(event) !== null);
      return perDay(withIdentity, (ofDay) => uniqueCount(ofDay, identities), input);
    },
    aggregate: (input) => {
      const read = groupReader(input, world);
      const count = (input.measure ?? "events") === "events" ? (own: OracleEvent[]) => own.length : (own: OracleEvent[]) => uniqueCount(own, identities);
      return aggregate(select({ ...input, userId: null }), read, count, input.limit ?? Infinity);
    },
    searchEvents: (input = {}) => select(input).reverse().map((event) => foundEvent(event, identities)),
    identitySessions: (input) => identitySessions(world, input),
    identityProfile: (input) => identityProfile(world, input),
    identityReferrers: (input) => identityReferrers(world, input),
    identityDeviceGeo: (input) => identityDeviceGeo(world, input),
    revenueByAttribution: (input) => revenueByAttribution(world, input),
    ltvCohorts: (input) => ltvCohorts(world, input),
    topCompanies: (input = {}) => topCompanies(world, input),
    companyTopUsers: (input) => companyTopUsers(world, input),
    ...insightsOf(world),
  };
}

function foundEvent(event: OracleEvent, identities: Identities): FoundEvent {
  const { record, anonymousId, value, currency, externalId, companyId } = event;
  const identity = identities.of(event);
  return { ...record, anonymousId, value, currency, externalId, companyId, identityId: identity === null ? null : identityId(identity) };
}

function uniqueCount(events: readonly OracleEvent[], identities: Identities): number {
  return new Set(events.map(identities.of).filter((identity) => identity !== null)).size;
}

function perDay(events: readonly OracleEvent[], count: (ofDay: OracleEvent[]) => number, input: PerDayInput): PerDayItem[] {
  const withEvents = [...new Set(events.map((event) => dayOf(event.createdAtMs)))];
  return (input.fill === true ? everyDay(withEvents, rangeOf(input)) : withEvents).map((day) => ({
    day: new Date(day * DAY_MS).toISOString(),
    count: count(events.filter((event) => dayOf(event.createdAtMs) === day)),
  }));
}

/** From the first to the last day of the range; where a side of it is open, of the days with events. */
function everyDay(withEvents: readonly number[], { fromMs, toMs }: Span): number[] {
  const first = Number.isFinite(fromMs) ? dayOf(fromMs) : (withEvents.at(0) ?? Infinity);
  const last = Number.isFinite(toMs) ? dayOf(toMs - 1) : (withEvents.at(-1) ?? -Infinity);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}

function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS);
}

function groupReader(input: AggregateInput, world: World): (event: OracleEvent) => unknown {
  const field = input.field ?? null;
  const metadataField = input.metadataField ?? null;
  if ((field === null) === (metadataField === null)) {
    throw new DaybookError("exactly_one_required", "expected exactly one of field and metadataField");
  }
  if (metadataField === "") throw parameterError("invalid_parameter", "metadataField", "expected a name");
  if (metadataField !== null) return metadataReader(metadataField);
  if (field === null || !isField(field)) throw parameterError("invalid_parameter", "field", "expected the name of a field");
  return fieldReader(field, world);
}

function aggregate(
  events: readonly OracleEvent[],
  read: (event: OracleEvent) => unknown,
  count: (own: OracleEvent[]) => number,
  limit: number,
): AggregateItem[] {
  const readEvents = events.map((event) => ({ event, properties: propertiesOf(read(event)) }));
  const all = new Set(readEvents.flatMap(({ properties }) => [...properties]));
  const items = [...all]
    .map((property) => ({ property, count: count(readEvents.filter(({ properties }) => properties.has(property)).map(({ event }) => event)) }))
    .filter((item) => item.count > 0);
  return items.sort((a, b) => b.count - a.count || byCodePoint(a.property, b.property)).slice(0, limit);
}
