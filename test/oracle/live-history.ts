import type { EventInput } from "daybook";
import type { Random } from "daybook/testing";
import type { HistoryItem } from "../support/index.js";
import { idOf, personHistory } from "../support/random/person-history.js";
import { refundIdOf } from "../support/random/refund-id.js";
import type { PersonQuery } from "../support/random/person-queries.js";

const HALF_HOUR_MS = 30 * 60_000;
const midnightMs = Date.UTC(2026, 2, 1);

// So few that nearly everything meets everything else.
const userIds = ["ann", "bob"];
const anonymousIds = ["d1", "d2"];
const companyIds = ["acme", "umbra.com"];
const emails = ["ann@x.io", "bob@x.io"];
const projects = ["default", "shop"];
const orderKeys = ["o1", "o2"];
const urls = ["/", "/a?utm_source=news&utm_campaign=spring", "/b?utm_source=mail", "/c?gclid=1"];
const referrers = ["https://google.com/", "https://partner.example/"];

/** What one step of a live history does. */
export type Act =
  | { readonly items: readonly HistoryItem[] }
  | { readonly seal: true }
  | { readonly erase: { readonly userId: string } | { readonly email: string } }
  | { readonly delete: Deleted };

/** Events before an instant, of one project or of all; or a project with all it has; or what is past a time to live of so many days. */
export type Deleted =
  | { readonly before: number; readonly project: string | null }
  | { readonly wholeProject: string }
  | { readonly days: number; readonly project: string | null };

/** How many events do what. */
interface Shares {
  readonly pays: number;
  readonly isTouch: number;
  readonly namesCompany: number;
  /** Devices are brought by campaigns, users pay: only links tell who brought whom. */
  readonly areApart: boolean;
}

/** What a history is asked about mostly, and what happens in it for that. */
export interface LiveTheme {
  readonly queries: readonly PersonQuery[];
  readonly shares: (random: Random) => Shares;
}

/** Events and records as they come, with seals, and now and then an erasure. @param deleteChance of a deletion behind each */
export function liveActs(random: Random, { shares }: LiveTheme, deleteChance = 0): Act[] {
  const items = deleteChance === 0 && random.chance(0.1) ? [...personHistory(random).history] : smallHistory(random, shares(random));
  const [sealChance, eraseChance] = [random.pick([0, 0.2, 0.5]), random.pick([0, 0, 0, 0.05])];
  const pieceLength = random.pick([1, 1, 2, 5]);
  const acts: Act[] = [];
  for (let at = 0; at < items.length; ) {
    const count = random.between(1, pieceLength);
    acts.push({ items: items.slice(at, at + count) });
    at += count;
    if (random.chance(sealChance)) acts.push({ seal: true });
    if (random.chance(eraseChance)) acts.push(anErasure(random));
    if (deleteChance > 0 && random.chance(deleteChance)) acts.push(aDeletion(random));
  }
  return acts;
}

/** Mostly of what was there for long, so that something is left. */
function aDeletion(random: Random): Act {
  const project = random.pick([null, null, ...projects]);
  const midnight = midnightMs + random.pick([-1, 0, 0, 1]) * 86_400_000;
  return {
    delete: random.pick<Deleted>([
      { before: midnight, project }, { before: midnight, project }, { before: instant(random), project }, { before: instant(random), project },
      { wholeProject: random.pick(projects) }, { days: random.pick([1, 2, 3, 30, 60]), project },
    ]),
  };
}

/** The erasure of somebody who may have come. */
export function anErasure(random: Random): Act {
  return { erase: random.pick([{ userId: random.pick([...userIds, ...anonymousIds]) }, { email: random.pick(emails) }]) };
}

/** Days and times in any order: what comes later is often earlier than all there is. */
export function smallHistory(random: Random, shares: Shares): HistoryItem[] {
  const length = random.between(8, 36);
  const recordShare = random.pick([0.2, 0.4, 0.6]);
  const tieShare = random.pick([0, 0.1, 0.6]);
  const unlinkShare = random.pick([0, 0.15, 0.3]);
  const items: HistoryItem[] = [];
  let createdAt = midnightMs;
  while (items.length < length) {
    if (!random.chance(tieShare)) createdAt = instant(random);
    items.push(random.chance(recordShare) ? record(random, createdAt) : event(random, createdAt, shares));
    const records = items.filter((item) => !("name" in item) && !("unlink" in item));
    if (records.length > 0 && random.chance(unlinkShare)) items.push({ unlink: idOf(random.pick(records.slice(-4))) });
  }
  return items;
}

function instant(random: Random): number {
  const day = random.pick([-40, -1, 0, 0, 0, 1, 2]) * 86_400_000;
  return midnightMs + day + random.between(0, 4) * HALF_HOUR_MS + random.pick([0, 0, 1]);
}

/** Ids decide between what shares its millisecond: they come in no order. */
function uuid(random: Random): string {
  const digits = () => random.below(2 ** 24).toString(16).padStart(6, "0");
  return `${random.pick(["00000000", "80000000", "ffffffff"])}-0000-4000-8000-${digits()}${digits()}`;
}

function somebody(random: Random) {
  return random.pick([
    { userId: random.pick(userIds) }, { anonymousId: random.pick(anonymousIds) }, { anonymousId: random.pick(anonymousIds) },
    { userId: random.pick(userIds), anonymousId: random.pick(anonymousIds) }, { userId: "ann" },
  ]);
}

function event(random: Random, createdAt: number, { pays, isTouch, namesCompany, areApart }: Shares): EventInput {
  const isPayment = random.chance(pays);
  const [user, device] = [{ userId: random.pick(userIds) }, { anonymousId: random.pick(anonymousIds) }];
  const who = areApart && random.chance(0.8) ? (isPayment ? user : device) : random.chance(0.95) ? somebody(random) : {};
  const id = uuid(random);
  return {
    id, createdAt, ...who,
    name: random.pick(["Pageview", "Payment", "Refund"]),
    project: random.pick([...projects, "default", "default"]),
    ...(random.chance(namesCompany) ? { companyId: random.pick(companyIds) } : {}),
    ...(random.chance(areApart && isPayment ? 0.1 : isTouch) ? { url: random.pick(urls), hostname: "shop.example" } : {}),
    ...(random.chance(isTouch / 4) ? { referrer: random.pick(referrers) } : {}),
    ...(isPayment ? { value: random.pick([1, 2, 4, 8, -16]), ...(random.chance(0.3) ? { externalId: random.pick(orderKeys) } : {}) } : {}),
    ...(isPayment ? { metadata: refundIdOf(id) as NonNullable<EventInput["metadata"]> } : {}),
    ...(isPayment && random.chance(0.2) ? { currency: random.pick(["EUR", "JPY"]) } : {}),
    ...(random.chance(0.2) ? { device: random.pick(["mobile", "desktop"]) } : {}),
  };
}

function record(random: Random, createdAt: number): HistoryItem {
  const moment = { id: uuid(random), createdAt };
  const who = somebody(random);
  const link = () => ({ identify: { ...moment, userId: random.pick(userIds), anonymousId: random.pick(anonymousIds) } });
  const group = () => ({ group: { ...moment, ...who, companyId: random.pick(companyIds), ...(random.chance(0.3) ? { traits: { name: random.pick(["Acme", "Umbra"]) } } : {}) } });
  return random.pick<() => HistoryItem>([
    link, link, group, group,
    () => ({ identify: { ...moment, ...who, email: random.pick(emails) } }),
    () => ({ alias: { ...moment, from: random.pick([...userIds, ...anonymousIds]), to: random.pick(userIds) } }),
  ])();
}

const always = { startDate: "1970-01-01", endDate: "2027-01-01" };
/** Cuts a day, at the millisecond of events. */
const cut = { startDate: new Date(midnightMs + HALF_HOUR_MS).toISOString(), endDate: new Date(midnightMs + 3 * HALF_HOUR_MS).toISOString() };
const windows = [always, always, cut];
const levels = ["identity", "account"] as const;

/** Every report that tables answer, about everybody of the alphabet; and others that ask who is who. */
export const liveQueries: readonly PersonQuery[] = [
  ...[...new Set([...userIds, ...anonymousIds])].flatMap((userId): PersonQuery[] => [
    { report: "identitySessions", input: { ...always, userId } },
    { report: "identityProfile", input: { ...always, userId } },
  ]),
  ...emails.map((email): PersonQuery => ({ report: "identityProfile", input: { ...cut, email } })),
  { report: "identityReferrers", input: { ...always, userId: "ann" } },
  { report: "identityDeviceGeo", input: { ...always, userId: "ann" } },
  { report: "identitySessions", input: { ...cut, email: "ann@x.io" } },
  ...projects.flatMap((project) => levels.flatMap((level): PersonQuery[] => [
    { report: "ltvCohorts", input: { project, level } },
    ...(["first_touch", "last_touch"] as const).flatMap((model) => windows.slice(1).map((window): PersonQuery => (
      { report: "revenueByAttribution", input: { ...window, project, level, model, dimension: window === cut ? "campaign" : "source" } }))),
  ])),
  { report: "topCompanies", input: { rangeDays: 365, sort: "revenue" } },
  { report: "topCompanies", input: { rangeDays: 9, sort: "users" } },
  ...companyIds.map((companyId): PersonQuery => ({ report: "companyTopUsers", input: { companyId, rangeDays: 365 } })),
  { report: "countUniqueUsers", input: { ...cut } },
  { report: "countUniqueUsersPerDay", input: { startDate: "2026-02-01", endDate: "2026-03-09" } },
  ...companyIds.map((companyId): PersonQuery => ({ report: "countUniqueUsers", input: { filterGroups: [{ filters: [{ fieldName: "company_id", operator: "=", value: companyId }] }] } })),
  { report: "countEvents", input: { ...always, userId: "ann" } },
];

const about = (...reports: readonly PersonQuery["report"][]) => liveQueries.filter(({ report }) => reports.includes(report));
const inDefault = about("revenueByAttribution").filter(({ input }) => "project" in input && input.project === "default");
const attribution = (level: string): LiveTheme => ({
  queries: inDefault.filter(({ input }) => "level" in input && input.level === level),
  shares: (random) => ({ pays: 0.5, isTouch: 0.9, namesCompany: level === "account" ? random.pick([0.1, 0.3]) : 0, areApart: random.chance(0.7) }),
});
const anything = (random: Random): Shares => ({ pays: random.pick([0.2, 0.5]), isTouch: 0.5, namesCompany: random.pick([0, 0.15, 0.3]), areApart: false });

/** More often what more tables follow. */
export const liveThemes: readonly LiveTheme[] = [
  attribution("identity"), attribution("identity"), attribution("account"), attribution("account"),
  { queries: about("ltvCohorts"), shares: anything },
  { queries: about("topCompanies", "companyTopUsers", "countUniqueUsers", "ltvCohorts"), shares: anything },
  { queries: about("identitySessions", "identityProfile"), shares: anything },
  { queries: about("identitySessions", "identityProfile", "identityReferrers", "identityDeviceGeo"), shares: anything },
];
