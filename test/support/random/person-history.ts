import type { EventInput } from "../../../src/core/schema/event.js";
import type { GroupInput, IdentifyInput } from "../../../src/core/schema/record.js";
import type { History, HistoryItem } from "../oracle/history.js";
import type { Random } from "../../../src/testing/random.js";
import {
  amounts, anonymousIds, campaigns, companyIds, currencies, emails, hostnames, names, orderKeys, projects, referrers, urls, userIds,
} from "./person-values.js";
import { nowMs } from "./now.js";
import { refundIdOf } from "./refund-id.js";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const midnightMs = Date.UTC(2026, 2, 1);
/** Edges of months, of the windows of 30, 10 and 1 days, and of what may lie in the future. */
const edgeInstants = [
  Date.UTC(2025, 11, 31, 23, 59, 59, 999), Date.UTC(2026, 0, 1), Date.UTC(2026, 1, 1), nowMs - 30 * DAY_MS, nowMs - 30 * DAY_MS - 1, nowMs - 10 * DAY_MS,
  nowMs - DAY_MS - 1, nowMs - DAY_MS, nowMs, nowMs + 1, nowMs + 5 * MINUTE_MS, nowMs + 5 * MINUTE_MS + 1,
];

/** Records that no Daybook takes. */
export const brokenRecords: readonly HistoryItem[] = [
  { identify: { id: "broken 1", email: "ann@x.io" } as IdentifyInput },
  { identify: { id: "broken 2", userId: "", anonymousId: null } },
  { group: { id: "broken 3", companyId: "acme" } as GroupInput },
  { group: { id: "broken 4", companyId: "", userId: "ann" } },
  { alias: { id: "broken 5", from: "", to: "ann" } },
  { alias: { id: "broken 6", from: "ann", to: "" } },
  { identify: { id: "broken 7", userId: "ann", createdAt: "2026-03-01" } },
];

/** What a random history is made of. */
export interface PersonHistory {
  readonly history: History;
  /** Whether another order of arrival must give the same answers: no id stands for two different things. */
  readonly isOrderFree: boolean;
}

/** What one history names: the fewer, the more of it collides. */
interface Words {
  readonly companyIds: readonly string[];
  readonly emails: readonly string[];
}

/**
 * Events and records over a small alphabet: devices of several users, aliases that chain and close circles, companies
 * that change, ties at one millisecond, pauses of thirty minutes and one millisecond more, orders paid twice and given
 * back in parts, ids sent twice, ids and times that another project has too, records taken back.
 */
export function personHistory(random: Random): PersonHistory {
  const length = random.between(3, 28);
  const isOrderFree = random.chance(0.6);
  const recordShare = random.pick([0, 0.2, 0.4, 0.7]);
  const tieShare = random.pick([0.05, 0.1, 0.6, 0.9]);
  const words: Words = { companyIds: few(random, companyIds), emails: few(random, emails) };
  const items: HistoryItem[] = [];
  while (items.length < length) {
    const createdAt = items.length > 0 && random.chance(tieShare) ? createdAtOf(random.pick(items)) : instant(random);
    if (random.chance(0.06)) items.push(...visits(random, words));
    else if (random.chance(0.07)) items.push(...refunds(random, words, createdAt));
    else if (random.chance(recordShare)) items.push(record(random, words, createdAt));
    else items.push(event(random, words, createdAt));
    if (!isOrderFree && random.chance(0.08)) items.push(withIdOf(random.pick(items), event(random, words, createdAt), record(random, words, createdAt)));
    if (random.chance(0.1)) items.push(...inAnotherProject(random, items, projects, event(random, words, createdAt)));
    if (random.chance(0.02)) items.push(random.pick(brokenRecords));
    if (random.chance(0.08)) items.push({ unlink: random.pick(items.map(idOf)) });
  }
  return { history: items, isOrderFree };
}

/** All of some values, or a few of them. */
function few(random: Random, values: readonly string[]): readonly string[] {
  const start = random.below(values.length);
  return random.pick([values, values.slice(start, start + 1), values.slice(start, start + 2)]);
}

/** The id that `unlink` takes a record back by. */
export function idOf(item: HistoryItem): string {
  if ("unlink" in item) return item.unlink;
  if ("identify" in item) return item.identify.id ?? "";
  if ("group" in item) return item.group.id ?? "";
  if ("alias" in item) return item.alias.id ?? "";
  return item.id ?? "";
}

function createdAtOf(item: HistoryItem): number {
  const record = "identify" in item ? item.identify : "group" in item ? item.group : "alias" in item ? item.alias : item;
  return "createdAt" in record && typeof record.createdAt === "number" ? record.createdAt : midnightMs;
}

function withIdOf(earlier: HistoryItem, freshEvent: EventInput, freshRecord: HistoryItem): HistoryItem {
  const id = idOf(earlier);
  if (!("name" in earlier)) {
    if ("identify" in freshRecord) return { identify: { ...freshRecord.identify, id } };
    if ("group" in freshRecord) return { group: { ...freshRecord.group, id } };
    if ("alias" in freshRecord) return { alias: { ...freshRecord.alias, id } };
  }
  return { ...freshEvent, id };
}

/** An event with the id and time of an earlier one, in a project in which that id is not known yet; none where all know it. */
export function inAnotherProject(random: Random, items: readonly HistoryItem[], all: readonly string[], fresh: EventInput): EventInput[] {
  const earlier = random.pick(items);
  if (!("name" in earlier)) return [];
  const known = items.flatMap((item) => ("name" in item && item.id === earlier.id ? [item.project || "default"] : []));
  const free = all.filter((project) => !known.includes(project));
  return free.length === 0 ? [] : [{ ...fresh, id: earlier.id, createdAt: earlier.createdAt, project: random.pick(free) } as EventInput];
}

function uuid(random: Random): string {
  const digits = () => random.below(2 ** 24).toString(16).padStart(6, "0");
  return `${random.pick(["00000000", "7fffffff", "80000000", "ffffffff"])}-0000-4000-8000-${digits()}${digits()}`;
}

function instant(random: Random): number {
  if (random.chance(0.08)) return random.pick(edgeInstants);
  if (random.chance(0.15)) return midnightMs + random.between(-6, 6) * 8 * HOUR_MS;
  return midnightMs + random.between(-2, 5) * 30 * MINUTE_MS + random.pick([0, 0, 0, 1, -1]);
}

/** Each kind of record, with ids of either sort, both or none that matters. */
function record(random: Random, words: Words, createdAt: number): HistoryItem {
  const moment = { id: uuid(random), createdAt };
  const user = { userId: random.pick(userIds) };
  const device = { anonymousId: random.pick(anonymousIds) };
  const who = () => random.pick([user, device, device, { ...user, ...device }, { ...user, anonymousId: "" }]);
  const email = random.pick<object>([{ email: random.pick(words.emails) }, { email: random.pick(words.emails) }, { traits: { email: random.pick(words.emails) } }, { email: "" }, {}, { email: null, traits: { email: 1 } }]);
  const traits = random.pick([{ name: "Acme" }, { name: "", domain: "x.example" }, { domain: "not a host", name: 5 }, {}, null]);
  return random.pick<() => HistoryItem>([
    () => ({ identify: { ...moment, ...who(), ...email } }),
    () => ({ group: { ...moment, ...who(), companyId: random.pick(words.companyIds), traits } }),
    () => ({ alias: { ...moment, from: random.pick([...userIds, ...anonymousIds]), to: random.pick(userIds) } }),
  ])();
}

/** Visits of one person in a row, with pauses at the edge of a session's end; now and then for more than a day. */
function visits(random: Random, words: Words): EventInput[] {
  const first = event(random, words, midnightMs);
  const startMs = midnightMs - 10 * HOUR_MS;
  const stepMs = 30 * MINUTE_MS + random.pick([0, 0, 1]);
  return Array.from({ length: random.chance(0.03) ? 52 : random.between(2, 5) }, (_, index) => ({
    ...first, id: uuid(random), createdAt: startMs + index * stepMs, name: random.pick(["Pageview", "click"]), hostname: "shop.example", value: null,
  }));
}

/** What is given back of an order, or of none that is named, some of it told twice. */
function refunds(random: Random, words: Words, createdAt: number): EventInput[] {
  const [externalId, project] = [random.pick(orderKeys), random.pick(projects)];
  return Array.from({ length: random.between(2, 5) }, () => {
    const refund = event(random, words, createdAt + random.pick([0, 0, 0, 1, HOUR_MS]));
    const [name, value] = random.pick<[string, number]>([["Refund", random.pick(amounts)], ["Order refunded", random.pick(amounts)], ["Payment", -2.5], ["Payment", 100]]);
    const isOfOrder = random.chance(0.75);
    const metadata = { ...(isOfOrder ? refund.metadata : {}), ...refundIdOf(refund.id ?? "") } as NonNullable<EventInput["metadata"]>;
    return { ...refund, name, value, project, externalId: isOfOrder ? externalId : null, metadata };
  });
}

function event(random: Random, words: Words, createdAt: number): EventInput {
  const who = random.pick([
    { userId: random.pick(userIds) }, { anonymousId: random.pick(anonymousIds) }, { userId: random.pick(userIds), anonymousId: random.pick(anonymousIds) },
    { userId: "ann" }, { anonymousId: "d1" }, random.chance(0.6) ? {} : { anonymousId: "d2" },
  ]);
  return {
    id: uuid(random),
    name: random.pick(names),
    createdAt,
    project: random.pick(projects),
    ...who,
    ...(random.chance(0.2) ? { companyId: random.pick(words.companyIds) } : {}),
    ...(random.chance(0.7) ? visit(random) : {}),
    ...(random.chance(0.5) ? money(random) : {}),
    ...(random.chance(0.25) ? place(random) : {}),
  };
}

function visit(random: Random): Partial<EventInput> {
  const campaign = Object.fromEntries(["utm_source", "utm_medium", "utm_campaign", "gclid", "msclkid", "fbclid"]
    .filter(() => random.chance(0.1))
    .map((name) => [name, random.pick<unknown>([...campaigns, 5, null, true, ["news"]])]));
  return {
    url: random.pick([random.pick(urls), random.pick(urls), "/", null]),
    hostname: random.pick([...hostnames, "shop.example", null]),
    referrer: random.pick([random.pick(referrers), random.pick(referrers), null]),
    metadata: campaign,
  };
}

/** Amounts in a field or in metadata, in any currency, with order keys in any place. */
function money(random: Random): Partial<EventInput> {
  const amount = () => random.pick(amounts);
  const currency = random.pick([random.pick(currencies), null, null]);
  const key = random.pick(orderKeys);
  const metadata = random.pick<() => Record<string, unknown>>([
    () => ({ revenue: amount() }), () => ({ amount: amount(), value: "5" }), () => ({ value: amount(), amount: 1 }), () => ({ revenue: "7", value: amount() }), () => ({ revenue: null, amount: amount() }),
    () => ({}), () => ({ revenue: [1] }),
  ])();
  const ordered = random.pick<() => Record<string, unknown>>([
    () => ({ order_id: key }), () => ({ order_id: 7 }), () => ({ order_id: "", transaction_id: key }), () => ({ order_id: true, transaction_id: 7 }), () => ({ order_id: key, transaction_id: "o2" }), () => ({}),
  ])();
  return {
    ...(random.chance(0.4) ? { value: random.pick([amount(), amount(), -0]) } : {}),
    ...(random.chance(0.5) ? { currency } : {}),
    ...(random.chance(0.4) ? { externalId: random.pick([key, ""]) } : {}),
    metadata: { ...metadata, ...ordered, ...(random.chance(0.3) ? { currency: random.pick<unknown>([...currencies, 5, ""]) } : {}) },
  };
}

function place(random: Random): Partial<EventInput> {
  const maybe = <T>(value: T): T | null => (random.chance(0.3) ? value : null);
  return {
    ...random.pick<Partial<EventInput>>([
      {}, { device: "mobile" }, { device: "\uFF5E" }, { device: "\u{1F600}" }, { os: "iOS", browser: "b" }, { os: "iOS", browser: "B" },
      { screen: maybe("1x1"), language: maybe("en"), locationCountry: maybe("DE"), locationRegion: maybe("r"), locationCity: maybe("c") },
    ]),
    locationLat: maybe(random.pick(["1", 0])),
    locationLon: maybe(random.pick([-1.5, "2"])),
  };
}
