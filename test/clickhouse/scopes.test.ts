import { fixedClock, memoryStorage, openDaybook, type Scope } from "daybook";
import { openClickHouse, type ClickHouseDaybook, type ClickHouseOptions } from "daybook/clickhouse";
import { seededRandom } from "daybook/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { daybookHere } from "../cli/run-here.js";
import { codeOf, handlerOf, NOW_MS, send } from "../http/kit.js";
import { ask, questionsOf, scopedTo, withSavedSegments } from "../oracle/scope-case.js";
import { baseSeed, caseCount } from "../oracle/settings.js";
import { arrive } from "../support/random/arrive.js";
import { insightHistory } from "../support/random/insight-history.js";
import { emptied, newDatabase, placeArguments, queryLayouts } from "./kit.js";

const scopeCount = caseCount(1, 20);
/** Of each scope so many queries are compared. */
const QUERY_COUNT = 6;

/** @returns how many queries were compared */
async function compared(seed: number, database: ClickHouseOptions): Promise<number> {
  const random = seededRandom(seed);
  const { history, options: { nowMs, segments: _segments, ...rules } } = insightHistory(random);
  const { scopes, queries, keys } = questionsOf(random, history, nowMs);
  const clock = fixedClock(nowMs);
  await emptied(database);
  await using onClickHouse = await openClickHouse({ ...database, ...rules, clock });
  await using embedded = await openDaybook({ ...rules, storage: memoryStorage(), clock });
  for (const daybook of [onClickHouse, embedded]) await arrive(daybook, history);
  let queryCount = 0;
  for (const query of Array.from({ length: QUERY_COUNT }, () => random.pick(queries))) {
    const named = await withSavedSegments(query, [onClickHouse, embedded]);
    if (named === null) continue;
    const [given, expected] = await Promise.all([onClickHouse, embedded].map((daybook) => ask(scopedTo(daybook, scopes, named, keys), named, keys, false)));
    expect(given, `DAYBOOK_SEED=${seed} DAYBOOK_CASES=1: scopes ${JSON.stringify(scopes)}, ${JSON.stringify(named)}`).toBe(expected);
    queryCount += 1;
  }
  return queryCount;
}

const at = (minute: number) => NOW_MS - 86_400_000 + minute * 60_000;
const where = (fieldName: string, value: string): Scope => ({ filterGroups: [{ filters: [{ fieldName, operator: "=", value }] }] });
const views = where("name", "view");
const acme = where("company_id", "acme");

/** Ann signs in on her phone and looks around there and on her laptop, which a record links to her; Bob is of no company yet. */
const EVENTS = [
  { name: "sign-in", userId: "ann", anonymousId: "phone", createdAt: at(0), project: "app", url: "https://app.example/?utm_source=mail" },
  { name: "view", anonymousId: "phone", createdAt: at(1), url: "https://app.example/?utm_source=ad", metadata: { plan: { tier: "pro" } } },
  { name: "view", userId: "ann", companyId: "acme", createdAt: at(2), metadata: { plan: { tier: "free" } } },
  { name: "view", anonymousId: "laptop", createdAt: at(3) },
  { name: "view", userId: "bob", createdAt: at(4), project: "shop", device: "mobile" },
];

describe.each(queryLayouts)("scopes on ClickHouse, %s", (layout) => {
  let database: ClickHouseOptions;
  let daybook: ClickHouseDaybook;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const made = await newDatabase(layout, { clock: fixedClock(NOW_MS) });
    ({ options: database, drop } = made);
    daybook = await openClickHouse(database);
    await daybook.ingest(EVENTS);
    await daybook.identify({ userId: "ann", anonymousId: "laptop" });
  });
  afterAll(async () => {
    await daybook.close();
    await drop();
  });

  test(`${scopeCount} random scopes of random histories are answered as the embedded engine does`, async () => {
    const made = await newDatabase(layout);
    let queryCount = 0;
    for (let seed = baseSeed; seed < baseSeed + scopeCount; seed += 1) queryCount += await compared(seed, made.options);
    await made.drop();
    expect(queryCount).toBeGreaterThanOrEqual(scopeCount * 2);
  }, 36_000_000);

  test("people are who the events of the scope and all records say", async () => {
    // The whole store knows from the sign-in whose phone it is.
    expect(await daybook.countUniqueUsers({ eventName: "view" })).toBe(2);
    const scoped = daybook.scoped({ ...views, queries: ["countEvents", "countUniqueUsers", "searchEvents"], fields: ["user_id", "name", "identity_id"] });
    expect(await scoped.countUniqueUsers()).toBe(3);
    expect([await scoped.countEvents({ userId: "ann" }), await scoped.countEvents({ userId: "phone" })]).toEqual([2, 1]);
    const ids = async (userId: string) => (await scoped.searchEvents({ userId, allFields: true })).events.map((event) => (event as { identityId?: string }).identityId);
    expect(new Set(await ids("ann")).size).toBe(1);
    expect(await ids("phone")).not.toEqual((await ids("ann")).slice(0, 1));
  });

  test("touches and metadata are of the events of the scope", async () => {
    const scoped = daybook.scoped({ ...views, fields: ["touch_source", "metadata.plan.tier"] });
    expect(await scoped.aggregate({ field: "touch_source" })).toEqual([{ property: "", count: 3 }, { property: "ad", count: 1 }]);
    expect(await scoped.aggregate({ metadataField: "plan.tier" })).toEqual([{ property: "", count: 2 }, { property: "free", count: 1 }, { property: "pro", count: 1 }]);
    expect(await scoped.countEvents({ filterGroups: [{ filters: [{ fieldName: "metadata.plan.tier", operator: "starts_with", value: "p" }] }] })).toBe(1);
  });

  test("a company has the events of people whose only company it is, from the whole store, also after a late record", async () => {
    // Ann alone: the phone is hers by an event without a company.
    expect([await daybook.scoped(acme).countEvents(), await daybook.scoped(acme).countUniqueUsers()]).toEqual([4, 1]);
    expect([await daybook.scoped(acme).scoped(views).countEvents(), await daybook.scoped(acme).scoped(views).countUniqueUsers()]).toEqual([3, 2]);
    const inShop = daybook.scoped(acme).scoped({ projects: ["shop"] });
    expect(await inShop.countEvents()).toBe(0);
    const { linkId } = await daybook.group({ userId: "bob", companyId: "acme" });
    expect([await daybook.scoped(acme).countEvents(), await inShop.countEvents()]).toEqual([5, 1]);
    expect(await daybook.scoped(where("device", "mobile")).scoped(acme).countEvents()).toBe(1);
    await daybook.unlink(linkId);
    expect(await inShop.countEvents()).toBe(0);
    // Carl changes companies: events without one are of the last before.
    const visits = ["acme", "", "globex", ""].map((companyId, order) => ({ name: "visit", userId: "carl", createdAt: at(10 + order), companyId }));
    await daybook.ingest(visits.map(({ companyId, ...visit }) => ({ ...visit, ...(companyId === "" ? {} : { companyId }) })));
    for (const company of ["acme", "globex"])
      expect(await daybook.scoped(where("company_id", company)).scoped(where("name", "visit")).countEvents()).toBe(2);
  });

  test("only projects of its events exist, and default", async () => {
    const sums = { queries: ["ltvCohorts"], fields: ["project", "value", "currency"] };
    const scoped = daybook.scoped({ ...views, ...sums });
    for (const project of ["shop", "default"]) expect(await scoped.ltvCohorts({ project, level: "identity" })).toMatchObject({ currency: "USD" });
    await expect(scoped.ltvCohorts({ project: "app", level: "identity" })).rejects.toMatchObject({ code: "project_not_found" });
    expect(await daybook.scoped(sums).ltvCohorts({ project: "app", level: "identity" })).toMatchObject({ currency: "USD" });
  });

  test("pages follow each other within one scope, and its cursors are of it alone", async () => {
    const rights = { queries: ["searchEvents"], fields: ["name"] };
    const scoped = daybook.scoped({ ...views, ...rights });
    const first = await scoped.searchEvents({ limit: 3 });
    await daybook.ingest([{ name: "view", createdAt: at(0), anonymousId: "late" }]);
    const { cursor } = first;
    // Another Daybook goes on, and leaves out what came meanwhile.
    await using other = await openClickHouse(database);
    const second = await other.scoped({ ...views, ...rights }).searchEvents({ limit: 3, cursor });
    expect([first, second].map(({ events }) => events.map(({ name, userId, url }) => [name, userId, url]))).toEqual([Array(3).fill(["view", "", ""]), [["view", "", ""]]]);
    expect(second.cursor).toBeNull();
    for (const stranger of [daybook, daybook.scoped(rights), scoped.scoped({ projects: ["default"], ...rights })])
      await expect(stranger.searchEvents({ limit: 3, cursor })).rejects.toMatchObject({ code: "invalid_cursor" });
  });

  test("saved segments are of people of the scope, where it lists them", async () => {
    await daybook.segments.put("signed_in", { groups: [{ conditions: [{ type: "did", eventName: "sign-in" }] }] });
    const query = { filterGroups: [{ filters: [{ fieldName: "identity_id", operator: "in_segment", value: "signed_in" } as const] }] };
    expect(await daybook.countEvents(query)).toBe(4);
    expect(await daybook.scoped({ segments: ["signed_in"] }).countEvents(query)).toBe(4);
    expect(await daybook.scoped({ ...views, segments: ["signed_in"] }).countEvents(query)).toBe(0);
    await expect(daybook.scoped(views).countEvents(query)).rejects.toMatchObject({ code: "forbidden_by_scope" });
  });

  test("a signed token runs queries over HTTP on the events of its scope", async () => {
    const handler = handlerOf(daybook);
    const signed = await send(handler, "/v1/scopes/sign", { body: { scope: { projects: ["shop"] }, expires_in: "1h" } });
    expect([signed.status, signed.json["expires_at"]]).toEqual([200, new Date(NOW_MS + 3_600_000).toISOString()]);
    const token = String(signed.json["token"]);
    const count = async (value: string) => await send(handler, "/v1/query/countEvents", { token: value, body: {} });
    expect((await count(token)).json).toEqual({ answer: 1 });
    const search = await send(handler, "/search-events", { token, body: {} });
    expect([search.status, codeOf(search)]).toEqual([403, "forbidden_by_scope"]);
    expect([(await count(`${token}A`)).status, (await count("ds_AQRhY21l")).status]).toEqual([401, 401]);
  });

  test("two keys are valid, in every process, and rotations at one moment lose none", async () => {
    await using other = await openClickHouse(database);
    const hour = { expiresIn: "1h" };
    const isValid = async (token: string) => {
      // Signing reads the keys again.
      for (const each of [daybook, other]) await each.signScope({}, hour);
      const verified = await Promise.allSettled([daybook, other].map((each) => each.verifyScopeToken(token)));
      return verified.map(({ status }) => status === "fulfilled");
    };
    const first = await daybook.signScope(views, hour);
    expect(await other.verifyScopeToken(first)).toMatchObject({ scope: views, organization: "default", origins: null });
    await other.rotateSigningKey();
    const second = await daybook.signScope({}, hour);
    expect([await isValid(first), await isValid(second)]).toEqual([[true, true], [true, true]]);
    const command = (...args: readonly string[]) => daybookHere(["token", ...args, ...placeArguments(database)]);
    expect(await command("rotate-signing-key")).toMatchObject({ code: 0, stdout: "rotated the signing key of default\n" });
    const third = await command("sign", "--scope", "{}", "--expires-in", "2d", "--long-lived");
    expect([third.code, third.stderr]).toEqual([0, ""]);
    expect(await isValid(first)).toEqual([false, false]);
    await Promise.all([daybook.rotateSigningKey(), other.rotateSigningKey()]);
    const [mine, others] = await Promise.all([daybook.signScope({}, hour), other.signScope({}, hour)]);
    expect([await isValid(mine), await isValid(others), await isValid(second)]).toEqual([[true, true], [true, true], [false, false]]);
  });
});

test("a wrong scope and what it forbids are errors before anything is read", async () => {
  const { options, drop } = await newDatabase("one server");
  const gone = await openClickHouse(options);
  await drop();
  expect(() => gone.scoped({ projects: [] })).toThrow(expect.objectContaining({ code: "invalid_parameter" }));
  await expect(gone.scoped({}).searchEvents()).rejects.toMatchObject({ code: "forbidden_by_scope" });
  await expect(gone.scoped({}).aggregate({ field: "user_id" })).rejects.toMatchObject({ code: "forbidden_by_scope" });
  await expect(gone.scoped(views).countEvents()).rejects.not.toMatchObject({ code: "forbidden_by_scope" });
  await expect(gone.scoped(views).explain("countEvents")).rejects.toMatchObject({ code: "not_supported" });
  const scoped = gone.scoped(views);
  await gone.close();
  await expect(scoped.countEvents()).rejects.toMatchObject({ code: "closed" });
  expect(() => gone.scoped({})).toThrow(expect.objectContaining({ code: "closed" }));
  for (const call of [() => gone.signScope({}, { expiresIn: 1 }), () => gone.verifyScopeToken("ds_"), () => gone.rotateSigningKey()])
    await expect(call()).rejects.toMatchObject({ code: "closed" });
});
