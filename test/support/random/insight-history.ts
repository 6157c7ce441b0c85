import type { EventInput } from "../../../src/core/schema/event.js";
import type { History, HistoryItem } from "../oracle/history.js";
import type { OracleOptions } from "../oracle/rules.js";
import type { Random } from "../../../src/testing/random.js";
import { hostileHistory } from "./hostile-history.js";
import {
  amounts, anchors, anonymousIds, browsers, companyIds, countries, currencies, devices, emails, mixed, names, numbers, orderKeys, plans, projects, referrers, stepNames, systems, urls, userIds,
} from "./insight-values.js";
import { idOf, inAnotherProject, personHistory } from "./person-history.js";
import { randomOptions } from "./person-options.js";
import { refundIdOf } from "./refund-id.js";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Something to ask insights of. */
export interface InsightHistory {
  readonly options: OracleOptions;
  readonly history: History;
  /** Whether another order of arrival must give the same answers: no id stands for two different things. */
  readonly isOrderFree: boolean;
}

/**
 * Events and records of few people in few days around an odd instant: funnels gone through, with pauses at the edges of windows, visits
 * with pauses at the edges of sessions, over midnight and beyond the cap, returns after days and weeks, payments given back, traits of
 * every type, companies, ties at one millisecond, ids that two projects have. Now and then a history made for other queries.
 */
export function insightHistory(random: Random): InsightHistory {
  const options = randomOptions(random);
  const kind = random.next();
  if (kind < 0.08) return { options, ...personHistory(random) };
  if (kind < 0.12) return { options, history: hostileHistory(random, random.between(5, 30)).filter(({ createdAt }) => !isLongAgo(createdAt)), isOrderFree: false };
  const anchorMs = Date.parse(random.pick(anchors));
  const nowMs = anchorMs + random.pick([0, 1, HOUR_MS, 2 * DAY_MS, 2 * DAY_MS, 9 * DAY_MS, 9 * DAY_MS, 40 * DAY_MS, random.chance(0.2) ? 400 * DAY_MS : DAY_MS]);
  return { options: { ...options, nowMs }, history: itemsAround(random, anchorMs, nowMs, options), isOrderFree: true };
}

/** Days since then are too many to answer about in a test. */
function isLongAgo(time: unknown): boolean {
  return time !== undefined && new Date(time as string).getTime() < Date.UTC(2025, 0, 1);
}

/** How one history is drawn. */
interface Draw {
  readonly random: Random;
  readonly anchorMs: number;
  readonly gapMs: number;
  /** Of people: the fewer, the deeper they go. */
  readonly people: readonly string[];
  readonly projects: readonly string[];
  /** How far from the anchor things lie: units that are drawn from. */
  readonly stepMs: number;
  readonly namesCompany: number;
}

function itemsAround(random: Random, anchorMs: number, nowMs: number, { session }: OracleOptions): HistoryItem[] {
  const draw: Draw = {
    random, anchorMs,
    gapMs: session?.gapMs ?? 30 * MINUTE_MS,
    people: random.shuffled(userIds).slice(0, random.pick([1, 2, 2, 3, 6])),
    projects: random.pick([["default"], ["default", "default", "shop"], projects]),
    stepMs: random.pick([MINUTE_MS, 15 * MINUTE_MS, HOUR_MS, 8 * HOUR_MS, DAY_MS, 5 * DAY_MS]),
    namesCompany: random.pick([0, 0.1, 0.4]),
  };
  const length = random.between(8, 36);
  const [recordShare, tieShare, unlinkShare] = [random.pick([0, 0.15, 0.3, 0.5]), random.pick([0, 0.1, 0.5]), random.pick([0, 0, 0.08])];
  const items: HistoryItem[] = [];
  while (items.length < length) {
    const earlier = random.chance(tieShare) && items.length > 0 ? timeOf(random.pick(items)) : null;
    const atMs = earlier ?? anyMs(draw, nowMs);
    if (random.chance(recordShare)) items.push(record(draw, atMs));
    else items.push(...random.pick([tries, tries, visits, visits, returns, payments, single, single, single])(draw, atMs));
    if (random.chance(0.1)) items.push(...inAnotherProject(random, items, projects, anEvent(draw, atMs, somebody(draw))));
    if (random.chance(unlinkShare)) items.push({ unlink: idOf(random.pick(items)) });
  }
  return items;
}

function timeOf(item: HistoryItem): number | null {
  const time = Object.values("name" in item ? { item } : item).flatMap((made: unknown) => Object.entries(made ?? {})).find(([member]) => member === "createdAt")?.[1] as unknown;
  return typeof time === "number" ? time : null;
}

/** Near the anchor or now, at full units and beside them; now and then a year before. */
function anyMs({ random, anchorMs, stepMs }: Draw, nowMs: number): number {
  const from = random.pick([anchorMs, anchorMs, anchorMs, anchorMs, nowMs - 5 * stepMs, random.chance(0.05) ? anchorMs - 365 * DAY_MS : anchorMs]);
  const ms = from + random.between(-5, 5) * stepMs + random.pick([0, 0, 0, 1, -1, random.below(MINUTE_MS)]);
  return Math.max(0, ms);
}

/** One person's way through the first steps, and past them; pauses are those of windows and sessions, or none. */
function tries(draw: Draw, startMs: number): EventInput[] {
  const { random, gapMs, stepMs } = draw;
  const who = somebody(draw);
  const pauses = [0, 0, 1, 1_000, 1_001, MINUTE_MS, gapMs, gapMs + 1, HOUR_MS, stepMs];
  const way = random.pick([["a", "b", "c", "d"], ["a", "b", "c"], ["a", "b"], ["b", "a", "c", "b"], ["a", "a", "b", "b", "c"], ["a", "x", "b", "c"], ["a", "b", "x", "c"], ["c", "b", "a"], ["a", "b", "x", "a", "b", "c"]]);
  let ms = startMs;
  return way.map((name) => {
    const event = { ...anEvent(draw, ms, who), name };
    ms += random.pick(pauses);
    return event;
  });
}

/** Page views of one person in a row, with pauses at the edge of a session's end; now and then for more than a day, or over midnight. */
function visits(draw: Draw, startMs: number): EventInput[] {
  const { random, gapMs } = draw;
  const who = somebody(draw);
  const isLong = random.chance(0.04);
  const pauseMs = isLong ? 4 * HOUR_MS : random.pick([1_000, MINUTE_MS, gapMs]);
  const beginMs = random.chance(0.2) ? Math.max(0, startMs - (startMs % DAY_MS) - random.pick([1, pauseMs])) : startMs;
  let ms = beginMs;
  return Array.from({ length: isLong ? 8 : random.between(1, 5) }, () => {
    const event = { ...anEvent(draw, ms, who), name: random.pick(["Pageview", "Pageview", "Pageview", "a"]), url: random.pick([...urls, null]), hostname: "shop.example" };
    ms += random.pick([pauseMs, pauseMs, pauseMs + 1, 0]);
    return event;
  });
}

/** One person again after days, weeks or months. */
function returns(draw: Draw, startMs: number): EventInput[] {
  const { random } = draw;
  const [who, name] = [somebody(draw), random.pick(stepNames)];
  const periodMs = random.pick([DAY_MS, DAY_MS, 7 * DAY_MS, 30 * DAY_MS]);
  return Array.from({ length: random.between(2, 4) }, (_, index) => {
    return { ...anEvent(draw, Math.max(0, startMs - index * periodMs + random.pick([0, 0, 1, -1, HOUR_MS])), who), name: random.chance(0.8) ? name : random.pick(stepNames) };
  });
}

/** A payment, paid again or given back, in parts too. */
function payments(draw: Draw, startMs: number): EventInput[] {
  const { random } = draw;
  const who = somebody(draw);
  const externalId = random.pick([...orderKeys, null]);
  return Array.from({ length: random.between(1, 3) }, (_, index) => {
    const event = anEvent(draw, startMs + index * random.pick([0, 1, HOUR_MS]), random.chance(0.8) ? who : somebody(draw));
    return {
      ...event,
      name: index === 0 ? "Purchase" : random.pick(["Purchase", "Refund"]),
      value: random.pick([...amounts, null]), externalId, currency: random.pick([null, null, random.pick(currencies)]),
      metadata: { ...event.metadata, ...refundIdOf(event.id ?? "") } as NonNullable<EventInput["metadata"]>,
    };
  });
}

function single(draw: Draw, ms: number): EventInput[] {
  return [anEvent(draw, ms, somebody(draw))];
}

function somebody({ random, people }: Draw): Partial<EventInput> {
  const [user, device] = [{ userId: random.pick(people) }, { anonymousId: random.pick(anonymousIds) }];
  return random.pick([user, user, user, device, device, { ...user, ...device }, random.chance(0.3) ? {} : user]);
}

function anEvent(draw: Draw, createdAt: number, who: Partial<EventInput>): EventInput {
  const { random } = draw;
  const maybe = <T>(share: number, values: readonly T[]): T | null => (random.chance(share) ? random.pick(values) : null);
  return {
    id: uuid(random), createdAt, name: random.pick(names), project: random.pick(draw.projects), ...who,
    companyId: maybe(draw.namesCompany, companyIds),
    url: maybe(0.5, urls), hostname: maybe(0.4, ["shop.example", "www.Shop.example"]), referrer: maybe(0.25, referrers),
    locationCountry: maybe(0.5, countries), device: maybe(0.6, devices), browser: maybe(0.4, browsers), os: maybe(0.4, systems),
    value: maybe(0.15, amounts),
    metadata: metadataOf(random),
  };
}

function metadataOf(random: Random): NonNullable<EventInput["metadata"]> {
  const members: [string, unknown][] = [];
  if (random.chance(0.8)) members.push(["x", random.pick(numbers)]);
  if (random.chance(0.4)) members.push(["tags", random.pick(mixed)]);
  if (random.chance(0.4)) members.push(["plan", random.pick(plans)]);
  if (random.chance(0.1)) members.push(random.pick<[string, unknown]>([["a", { b: random.pick(numbers) }], ["a.b", random.pick(numbers)], ["person.plan", "literal"], ["utm_source", random.pick(["news", " ", 5])]]));
  return Object.fromEntries(members) as NonNullable<EventInput["metadata"]>;
}

/** Each kind of record, with traits of any type. */
function record(draw: Draw, createdAt: number): HistoryItem {
  const { random, people } = draw;
  const moment = { id: uuid(random), createdAt };
  const [user, device] = [{ userId: random.pick(people) }, { anonymousId: random.pick(anonymousIds) }];
  const who = random.pick([user, user, device, { ...user, ...device }]);
  const email = random.pick<object>([{}, {}, { email: random.pick(emails) }, { traits: { email: random.pick(emails) } }]);
  // What is told to be nothing takes the place of what was told before.
  const nothing = random.chance(0.2) ? { plan: random.pick([null, ""]) } : {};
  const told = random.chance(0.8) ? { ...metadataOf(random), ...nothing } : null;
  // By the id, which costs no draw.
  const isOnce = /[0-5]$/.test(moment.id);
  const traits = told === null ? {} : { traits: isOnce ? { $set_once: told } : told };
  return random.pick<() => HistoryItem>([
    () => ({ identify: { ...moment, ...who, ...traits, ...email } }),
    () => ({ identify: { ...moment, ...who, ...email, ...traits } }),
    () => ({ group: { ...moment, ...who, companyId: random.pick(companyIds), ...traits } }),
    () => ({ alias: { ...moment, from: random.pick([...people, ...anonymousIds]), to: random.pick(people) } }),
  ])();
}

function uuid(random: Random): string {
  const digits = () => random.below(2 ** 24).toString(16).padStart(6, "0");
  return `${random.pick(["00000000", "7fffffff", "80000000", "ffffffff"])}-0000-4000-8000-${digits()}${digits()}`;
}
