import { fixedClock, memoryStorage, openDaybook, type Daybook } from "daybook";
import { openClickHouse } from "daybook/clickhouse";
import { seededRandom, type Random } from "daybook/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Handler } from "../../src/http/index.js";
import { routes } from "../../src/http/routes/table.js";
import { ARROW_TYPE } from "../../src/http/wire/request-reply.js";
import { bodyFor } from "../http/fuzz/bodies.js";
import { mutated } from "../http/fuzz/json-mutation.js";
import { handlerOf, NOW_MS, requestOf, type SendOptions } from "../http/kit.js";
import { clientBodies } from "./client-bodies.js";
import { type Layout, newDatabase, queryLayouts } from "./kit.js";

const SEED = Number(process.env["DAYBOOK_SEED"] ?? 3);
const isThorough = process.env["DAYBOOK_THOROUGH"] === "1";
const REQUESTS_PER_ROUTE: Readonly<Record<Layout, number>> = { "one server": isThorough ? 40 : 6, "two shards": isThorough ? 12 : 3, "two replicas": 1 };

/** Routes about what is not on ClickHouse, and about the process that serves. */
const NOT_THERE = /\/changes$|\/exports\/deletions$/;
/** Answer with ids that are made up, with parts and bytes, or take away what the others ask for. */
const OF_UPKEEP = /^(?:\w+ \/v1\/(?:privacy-requests|time-to-live|stats|events\/delete)|DELETE \/v1\/projects)/;
const OF_PROCESS = /^GET \/(?:metrics|healthz|openapi\.json)/;
/** Take events without ids, which each side draws for itself; what they store is compared without. */
const WITHOUT_IDS = /^\w+ \/(?:v1\/collect|batch\/|i\/v0|2\/httpapi|api\/|track|import|engage|groups)/;
const isCompared = (name: string) => [NOT_THERE, OF_UPKEEP, OF_PROCESS, WITHOUT_IDS].every((pattern) => !pattern.test(name));

const QUERIES: readonly (readonly [path: RegExp, queries: readonly string[]])[] = [
  [/^\/v1\/identities/, [
    "user_id=u1", "user_id=u2&limit=2", "email=ann@example.org", "user_id=nobody", "", "user_id=u1&email=ann@example.org", "user_id=u1&limit=0",
    "user_id=a1&start_date=2026-03-01&end_date=2026-03-09", "user_id=u1&cursor=x", "user_id=7&start_date=2025-01-01",
  ]],
  [/revenue/, [
    "", "level=identity", "start_date=2026-03-01&end_date=2026-03-10&dimension=campaign&limit=2", "model=last_touch&level=identity",
    "level=x", "limit=3",
  ]],
  [/companies/, ["", "range_days=5&sort=events", "limit=1&range_days=30", "range_days=0", "sort=revenue", "range_days=365&sort=last_seen"]],
];

const AS_LINES = { "content-type": "application/x-ndjson" };
const RECORDS = [
  { type: "identify", id: "r1", userId: "u1", anonymousId: "a1", email: "ann@example.org" },
  { type: "project", name: "empty" },
  { type: "no" },
];

/** Requests that are no query and no event, and what else holds on every route. */
const OTHERS: readonly (readonly [path: string, options: SendOptions])[] = [
  ["/v1/nowhere", {}],
  ["/v1/projects", { method: "GET" }],
  ["/v1/projects", { method: "PATCH" }],
  ["/v1/token", { method: "GET" }],
  ["/v1/projects", { method: "GET", token: null }],
  ["/v1/projects", { method: "GET", token: "sk_expired_0123456789abcdefgh" }],
  ["/v1/projects", { method: "GET", token: "sk_write_0123456789abcdefgh" }],
  ["/v1/projects", { method: "GET", token: "sk_shop_0123456789abcdefgh" }],
  ["/analytics/count-events", { body: "{" }],
  ["/analytics/count-events", { body: "[]", headers: { "content-type": "text/plain" } }],
  ["/analytics/count-events", { body: { event_name: "a" }, token: "sk_shop_0123456789abcdefgh" }],
  ["/analytics/count-events", { body: { event_name: "a" }, token: "sk_search_0123456789abcdefgh" }],
  ["/v1/projects/site/analytics/count-events", { body: {}, token: "sk_shop_0123456789abcdefgh" }],
  ["/v1/projects/nope/insights/trend", { body: {} }],
  ["/v1/events", { body: '{"id":"n1","name":"a","created_at":"2026-03-01T00:00:00Z"}\n\n{"name":5}\n{', headers: AS_LINES }],
  ["/v1/events", { body: [{ id: "n2", name: "b", project: "elsewhere" }], token: "sk_shop_0123456789abcdefgh" }],
  ["/v1/records", { body: RECORDS }],
  ["/v1/records", { body: [{ type: "group", id: "r2", userId: "u1", companyId: "acme", traits: { name: "Acme" } }] }],
  ["/v1/exports/events", { body: {} }],
  ["/v1/exports/records", { body: {} }],
];

const DAY_MS = 86_400_000;
/** Of one person, a visit a day. */
const VISITS = Array.from({ length: 12 }, (_, at) => ({
  id: `visit${at}`, name: "pageview", user_id: "u1", created_at: NOW_MS - at * DAY_MS, project: "shop",
}));

/** Queries of several pages. */
const PAGED: readonly (readonly [path: string, members: object])[] = [
  ["/search-events", { limit: 7 }],
  ["/v1/query/searchEvents", { limit: 9 }],
  ["/v1/query/identitySessions", { userId: "u1", startDate: "2025-01-01", limit: 2 }],
];

/** What a handler answered, byte by byte; where a page goes on is sealed with a key of each store's own, and has a time of its own. */
interface Answered {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly text: string;
  readonly cursor: string | null;
  /** Without anything that stores need not agree on: what an etag is made of. */
  readonly isWhole: boolean;
}

const CURSOR = /"cursor":"([^"]+)"/;
/** Signed with a key of each store's own. */
const SIGNED = /"token":"ds_[^"]+"/;

async function ask(handler: Handler, path: string, options: SendOptions): Promise<Answered> {
  const response = await handler(requestOf(path, options));
  const bytes = Buffer.from(await response.arrayBuffer());
  const isArrow = response.headers.get("content-type") === ARROW_TYPE;
  const whole = bytes.toString(isArrow ? "base64" : "utf8");
  const cursor = CURSOR.exec(whole)?.[1] ?? response.headers.get("daybook-cursor");
  // Which names no event has is not known on ClickHouse.
  const text = whole.replace(CURSOR, '"cursor":"…"').replace(SIGNED, '"token":"…"').replace(/,"notices":\[.*\]/, "");
  const isLeft = (name: string) => name === "daybook-notice" || name === "daybook-cursor";
  return { status: response.status, headers: [...response.headers].filter(([name]) => !isLeft(name)), text, cursor, isWhole: text === whole };
}

describe.each(queryLayouts)("routes over ClickHouse, %s", (layout) => {
  let embedded: Daybook;
  let sides: readonly [Handler, Handler];
  let onClickHouse: Daybook;
  const close: (() => Promise<void>)[] = [];
  const random = seededRandom(SEED);
  const statuses = new Map<string, Set<number>>();

  beforeAll(async () => {
    const clock = fixedClock(NOW_MS);
    const { options: place, drop } = await newDatabase(layout, { clock });
    embedded = await openDaybook({ storage: memoryStorage(), clock });
    // The handler asks nothing of it that is not there.
    onClickHouse = (await openClickHouse(place)) as unknown as Daybook;
    close.push(drop, () => onClickHouse.close(), () => embedded.close());
    // A statement takes seconds where the machine has other work.
    const options = { clock, limits: { queryMs: 300_000 } };
    sides = [handlerOf(embedded, options), handlerOf(onClickHouse, options)];
    await compare("visits", "/v1/events", { body: VISITS });
  });
  afterAll(async () => {
    for (const each of close.reverse()) await each();
  });

  /** Asks both the same, and what comes behind it page by page. */
  async function compare(name: string, path: string, options: SendOptions): Promise<Answered> {
    const place = `DAYBOOK_SEED=${SEED}, ${name}: ${path} ${JSON.stringify(options)}`;
    const [here, there] = [await ask(sides[0], path, options), await ask(sides[1], path, options)];
    expectSame(there, here, place);
    expect(there.cursor === null, place).toBe(here.cursor === null);
    statuses.set(name, (statuses.get(name) ?? new Set()).add(here.status));
    return here;
  }

  test("answer to what is stored and asked, byte by byte, what those over an embedded store do", async () => {
    const compared = routes.filter(({ method, path }) => isCompared(`${method} ${path}`));
    // First what is written, then what is asked.
    const ordered = [true, false].flatMap((isFirst) => compared.filter(({ path }) => isWriting(path) === isFirst));
    for (const { method, path } of ordered) {
      const name = `${method} ${path}`;
      for (let left = REQUESTS_PER_ROUTE[layout] * (isWriting(path) ? 4 : 1); left > 0; left -= 1) {
        const [target, options] = requestTo(method, path, random, left);
        await compare(name, target, options);
      }
    }
    for (const [path, options] of OTHERS) await compare("others", path, options);
    const succeeded = ordered.filter(({ method, path }) => [...(statuses.get(`${method} ${path}`) ?? [])].some((status) => status < 400));
    expect(succeeded.length / ordered.length).toBeGreaterThan(0.8);
  });

  test("go on page by page, tell whoever asks again that nothing has changed, and answer as Arrow", async () => {
    for (const [path, member] of PAGED) {
      let cursors: readonly (string | null)[] = [null, null];
      let pages = 0;
      do {
        const bodies = cursors.map((cursor) => ({ ...member, ...(cursor === null ? {} : { cursor }) }));
        const answers = await Promise.all(sides.map((side, at) => ask(side, path, { body: bodies[at] })));
        const [here, there] = answers as [Answered, Answered];
        expectSame(there, here, path);
        expect(here.status).toBe(200);
        cursors = answers.map(({ cursor }) => cursor);
        expect(cursors[0] === null).toBe(cursors[1] === null);
        pages += 1;
      } while (cursors[0] !== null);
      expect(pages, path).toBeGreaterThan(1);
    }
    const { headers } = await compare("etag", "/analytics/count-events", { body: {} });
    const etag = new Map(headers).get("etag") ?? "";
    expect((await compare("etag", "/analytics/count-events", { body: {}, headers: { "if-none-match": etag } })).status).toBe(304);
    for (const path of ["/analytics/count-events-per-day", "/search-events", "/v1/projects/shop/insights/trend", "/v1/query/lifecycle"]) {
      // Events of whatever time are stored by now, and there is no answer over all of it.
      const body = path === "/v1/query/lifecycle" ? { startDate: "2026-02-01", endDate: "2026-03-31" } : {};
      const answer = await compare("arrow", path, { body, headers: { accept: ARROW_TYPE } });
      expect([path, new Map(answer.headers).get("content-type")]).toEqual([path, ARROW_TYPE]);
    }
  });

  test("take what pages and client libraries send, and store the same of it", async () => {
    for (const { method, path } of routes.filter((route) => WITHOUT_IDS.test(`${route.method} ${route.path}`))) {
      const isEmpty = method === "GET" || method === "OPTIONS";
      for (const sent of clientBodies(path)) await compare(`${method} ${path}`, path, { method, ...(isEmpty ? {} : sent) });
    }
    expect(await masked(onClickHouse)).toEqual(await masked(embedded));
    expect(await onClickHouse.countEvents({ eventName: "from a client" })).toBeGreaterThan(4);
  });

  test("say of what is not there that it is not supported", async () => {
    for (const { method, path } of routes.filter((route) => NOT_THERE.test(`${route.method} ${route.path}`))) {
      const target = path.replace("{project_id}", "shop").replace("{id}", "0195800a-0000-7000-8000-000000000001");
      const body = method === "GET" ? {} : { body: bodyFor(path, seededRandom(1)) };
      const { status, text } = await ask(sides[1], target, { method, ...body });
      expect([method, path, status, text.includes('"not_supported"')]).toEqual([method, path, 501, true]);
    }
  });
});

function expectSame(got: Answered, expected: Answered, place: string): void {
  const areWhole = got.isWhole && expected.isWhole;
  const shown = ({ status, headers, text }: Answered) => ({ status, headers: Object.fromEntries(headers.filter(([name]) => areWhole || name !== "etag")), text });
  expect(shown(got), place).toEqual(shown(expected));
}

function isWriting(path: string): boolean {
  return /^\/v1\/(?:events|records|track|page|screen|identify|group|alias|batch|segments\/)/.test(path);
}

/** One that the route would mostly take; some that it would not. */
function requestTo(method: string, path: string, random: Random, at: number): [string, SendOptions] {
  const id = "0195800a-0000-7000-8000-00000000000a";
  const target = path.replace("{project_id}", random.pick(["shop", "site", "default"])).replace("{company_id}", random.pick(["acme", "none"]))
    .replace("{name}", random.pick(["buyers", "others"])).replace("{id}", id);
  const queries = QUERIES.find(([pattern]) => pattern.test(path))?.[1] ?? [];
  const query = queries.length === 0 ? "" : `?${queries[at % queries.length]}`;
  const token = random.chance(0.9) ? "sk_owner_0123456789abcdefgh" : random.pick(["sk_shop_0123456789abcdefgh", "sk_analytics_0123456789abcdefgh", "sk_search_0123456789abcdefgh", "sk_write_0123456789abcdefgh", "sk_revoked_0123456789abcdefgh", "sk_unknown_0123456789abcdefgh"]);
  if (method === "GET" || (method === "DELETE" && path.includes("segments"))) return [target + query, { method, token }];
  const body = bodyFor(path, random);
  return [target, { method, token, body: withIds(random.chance(0.8) ? body : mutated(body, random), random) }];
}

/** Whatever has none would be given one by chance. */
function withIds(body: unknown, random: Random): unknown {
  if (Array.isArray(body)) return body.map((item) => withIds(item, random));
  if (typeof body !== "object" || body === null) return body;
  const isList = (name: string) => name === "events" || name === "batch";
  const filled = Object.fromEntries(Object.entries(body).map(([name, value]) => [name, isList(name) ? withIds(value, random) : value]));
  const [id, messageId] = [`i${random.below(10_000)}`, `m${random.below(10_000)}`];
  if (!("name" in filled || "event" in filled || "type" in filled || "userId" in filled || "anonymousId" in filled)) return filled;
  return { id, messageId, ...filled };
}

/** All events and records without their ids, in an order of their own; and without those of visitors, which each server makes of its own salts. */
async function masked(daybook: Daybook): Promise<string[]> {
  const lines: string[] = [];
  for await (const { anonymousId, identityId, ...event } of daybook.exportEvents({ identityIds: true }))
    lines.push(JSON.stringify({ ...event, id: null, ...(event.userId === undefined ? {} : { anonymousId, identityId }) }));
  for await (const record of daybook.exportRecords()) lines.push(JSON.stringify({ ...record, id: null }));
  return lines.sort();
}
