import { DaybookError, fixedClock, memoryStorage, openDaybook, type Daybook, type EventInput, type Scope, type ScopedDaybook } from "daybook";
import { seededRandom, type Random } from "daybook/testing";
import { namedFieldsOf } from "../../src/query/plan/filters/field-operand.js";
import { QUERY_NAMES } from "../../src/query/queries.js";
import { newUuidText } from "../../src/core/base/uuid.js";
import { createHandler, memoryTokens } from "../../src/http/index.js";
import { routes } from "../../src/http/routes/table.js";
import { completeRequest } from "../http/complete-request.js";
import type { History, HistoryItem } from "../support/index.js";
import { arrive } from "../support/random/arrive.js";
import { insightHistory } from "../support/random/insight-history.js";
import { insightQuery, type InsightName } from "../support/random/insight-queries.js";
import { timesOf } from "../support/random/insight-scope.js";
import { daybookOptions } from "./person-case.js";

const INSIGHTS: readonly InsightName[] = ["trend", "funnel", "retention", "lifecycle", "stickiness", "paths", "sessionsOverview", "webOverview"];
/** Fields of an event alone: whether it is of a scope by them, no other event decides. */
const FIELDS = ["name", "project", "device", "url", "userId", "anonymousId"] as const;

interface Query {
  readonly report: string;
  readonly input: object;
}

/** Routes that a pair requests over HTTP, beside those of its queries. */
const ROUTE_COUNT = 6;
const PROTECTED = routes.filter(({ access }) => access !== null).map(({ method, path }) => `${method} ${path}`);

/**
 * Two stores that have the same events of a scope, in the same order, and the same records, but other events beside them. Every answer, error, notice,
 * explanation and cursor of the scope is compared, with all rights and with those of every scope, and every byte and header that its token gets
 * over HTTP.
 * @returns the first difference
 */
export async function pairDifference(seed: number): Promise<string | null> {
  const random = seededRandom(seed);
  const { history, options } = insightHistory(random);
  const named = history.map((item, at) => ("name" in item ? { ...item, id: `00000000-0000-4000-8000-${String(at).padStart(12, "0")}` } : item));
  const open = () => openDaybook({ storage: memoryStorage(), ...daybookOptions(options), random: counting() });
  await using one = await open();
  await using other = await open();
  const scope = randomScope(random, named);
  const inside = await insideOf(scope, named, options);
  await arriveSealed(one, named, random);
  await arriveSealed(other, named.flatMap((item) => otherItems(item, inside, scope, random)), random);
  const all = { ...scope, queries: QUERY_NAMES };
  const queries: readonly Query[] = [
    { report: "searchEvents", input: { limit: 2 } },
    { report: "aggregate", input: { field: "name" } },
    { report: "ltvCohorts", input: { project: random.pick(["default", PLANTED, "shop", "blog"]) } },
    { report: "identityProfile", input: { userId: random.pick([PLANTED, "u1", "u2", "d1"]) } },
    { report: "companyTopUsers", input: { companyId: random.pick([PLANTED, "c1", "acme"]) } },
    ...INSIGHTS.map((name) => insightQuery(name, { random, timesMs: timesOf(history), nowMs: options.nowMs, identityIds: [] })),
  ];
  const [overHttp, otherOverHttp] = [serverOf(one, options.nowMs), serverOf(other, options.nowMs)];
  const ofRoutes = Array.from({ length: ROUTE_COUNT }, () => completeRequest(random.pick(PROTECTED)));
  for (const { path, options: { method = "POST", body } } of ofRoutes) {
    const [ofOne, ofOther] = [await overHttp(scope, path, method, body), await otherOverHttp(scope, path, method, body)];
    if (ofOne !== ofOther) return [`scope ${JSON.stringify(scope)}`, `${method} ${path}`, `  one: ${ofOne}`, `other: ${ofOther}`].join("\n");
  }
  for (const query of queries) {
    const names = [...new Set([...namedFieldsOf(query.input).map(({ name }) => name), ...EVERY_FIELD])];
    for (const rights of [{ ...all, fields: names.slice(0, 100) }, scope]) {
      const [ofOne, ofOther] = [await heard(one.scoped(rights), query), await heard(other.scoped(rights), query)];
      if (ofOne !== ofOther) return [`scope ${JSON.stringify(rights)}`, JSON.stringify(query), `  one: ${ofOne}`, `other: ${ofOther}`].join("\n");
      const path = `/v1/query/${query.report}`;
      const [sentOne, sentOther] = [await overHttp(rights, path, "POST", query.input), await otherOverHttp(rights, path, "POST", query.input)];
      if (sentOne !== sentOther) return [`scope ${JSON.stringify(rights)}`, `${path} ${JSON.stringify(query.input)}`, `  one: ${sentOne}`, `other: ${sentOther}`].join("\n");
    }
  }
  return null;
}

type Server = (scope: Scope, path: string, method: string, body: unknown) => Promise<string>;

/** Asks with a signed token. @returns the status, all headers and the bytes of the answer */
function serverOf(daybook: Daybook, nowMs: number): Server {
  const handler = createHandler({ organizations: { default: daybook }, tokens: memoryTokens([]), clock: fixedClock(nowMs) });
  return async (scope, path, method, body) => {
    const token = await daybook.signScope(scope, { expiresIn: "1h", origins: ["https://app.example"] });
    const headers = { authorization: `Bearer ${token}`, origin: "https://app.example", "content-type": "application/json", "x-request-id": "r-1" };
    const response = await handler(new Request(`http://localhost${path}`, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }));
    return JSON.stringify([response.status, [...response.headers], await response.text()]);
  };
}

/** @throws an error with the seed */
export async function checkPair(seed: number): Promise<void> {
  const difference = await pairDifference(seed);
  if (difference !== null) throw new Error(`a scope tells of events outside; repeat with DAYBOOK_SEED=${seed} DAYBOOK_CASES=1\n${difference}`);
}

/** A name that only events outside of the scope have. */
const PLANTED = "planted";
const EVERY_FIELD = [...FIELDS, "id", "createdAt", "identityId", "companyId", "company.name", "company.domain", "referrer", "device", "country", "region", "city", "value", "currency", "path", "touchSource", "touchMedium", "touchCampaign", "person.email", "os", "browser"];

/** The same keys in both stores, so that cursors can be compared. */
function counting(): (bytes: Uint8Array) => void {
  let next = 0;
  return (bytes) => {
    for (let at = 0; at < bytes.length; at += 1) bytes[at] = (next = (next * 1_103_515_245 + 12_345) >>> 0) >>> 16;
  };
}

function randomScope(random: Random, history: History): Scope {
  const events = history.flatMap((item) => ("name" in item ? [item] : []));
  const event = events.length === 0 ? { name: "a" } : random.pick(events);
  const fieldName = random.pick(FIELDS);
  const value = String({ project: "default", ...event }[fieldName] ?? "default");
  return { filterGroups: [{ filters: [{ fieldName, operator: random.pick(["=", "=", "!="]), value }] }] };
}

/** The ids of the events that a store of them alone has in the scope. */
async function insideOf(scope: Scope, history: History, options: Parameters<typeof daybookOptions>[0]): Promise<ReadonlySet<string>> {
  await using daybook = await openDaybook({ storage: memoryStorage(), ...daybookOptions(options) });
  await arrive(daybook, history);
  const { events } = await daybook.searchEvents({ filterGroups: scope.filterGroups, limit: 1_000 });
  return new Set(events.map(({ id }) => id));
}

/** An event of the scope, or a record, as it is; another event is left out, doubled, or has another content where the scope does not look. */
function otherItems(item: HistoryItem, inside: ReadonlySet<string>, { filterGroups }: Scope, random: Random): readonly HistoryItem[] {
  if (!("name" in item) || inside.has(String(item.id))) return [item];
  const looked = filterGroups?.[0]?.filters[0]?.fieldName;
  const planted: EventInput = { ...item, metadata: { [PLANTED]: PLANTED }, ...Object.fromEntries([...FIELDS, "companyId"].filter((name) => name !== looked).map((name) => [name, PLANTED])) };
  const copy = { ...planted, id: newUuidText(random.below(2 ** 40), (bytes) => bytes.forEach((_, at) => (bytes[at] = random.below(256)))) };
  return random.pick([[], [item, copy], [planted], [copy, planted]]);
}

async function arriveSealed(daybook: Daybook, history: History, random: Random): Promise<void> {
  const half = random.between(0, history.length);
  await arrive(daybook, history.slice(0, half));
  if (random.chance(0.5)) await daybook.seal();
  await arrive(daybook, history.slice(half));
}

/** All that a caller gets to know. */
async function heard(scoped: ScopedDaybook, { report, input }: Query): Promise<string> {
  const notices: unknown[] = [];
  const query = scoped as unknown as Readonly<Record<string, (input: object, options: object) => Promise<unknown>>>;
  const told: unknown[] = [];
  for (const ask of [() => query[report]?.(input, { onNotice: (notice: unknown) => notices.push(notice) }), () => scoped.explain(report as never, input)]) {
    try {
      told.push(await ask());
    } catch (error) {
      if (!(error instanceof DaybookError)) throw error;
      told.push([error.code, error.message, error.details]);
    }
  }
  return JSON.stringify([...told, notices]);
}
