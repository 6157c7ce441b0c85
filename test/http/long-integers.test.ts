import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { PAGE_KEY, serving, TOKEN, WHOLE } from "./clients/kit.js";
import type { Serving } from "./clients/kit.js";

/** Neighbours: as doubles both are the second one. */
const [ODD, EVEN] = ["9007199254740993", "9007199254740992"];
const BEARER = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
const FORM = { "content-type": "application/x-www-form-urlencoded" };

async function post({ url }: Serving, path: string, body: string | Buffer, headers: Readonly<Record<string, string>> = BEARER): Promise<{ status: number; answer: unknown }> {
  const response = await fetch(`${url}${path}`, { method: "POST", headers, body: body as string });
  const text = await response.text();
  return { status: response.status, answer: text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) as unknown : text };
}

const base64 = (text: string) => Buffer.from(text).toString("base64");

describe("of two numbers that are one double", () => {
  it.each<[string, string, Readonly<Record<string, string>>, (id: string) => string | Buffer]>([
    ["a list of events", "/v1/events", BEARER, (id) => `[{"name":"e","userId":${id},"metadata":{"n":${id},"deep":{"list":[${id}]}}}]`],
    ["a compressed list", "/v1/events", { ...BEARER, "content-encoding": "gzip" }, (id) => gzipSync(`{"events":[{"name":"e","user_id":${id},"metadata":{"n":${id},"deep":{"list":[${id}]}}}]}`)],
    ["lines", "/v1/events", { ...BEARER, "content-type": "application/x-ndjson" }, (id) => `\n{"name":"e","userId":${id},"metadata":{"n":${id},"deep":{"list":[${id}]}}}\n`],
    ["a call of the tracking spec", "/v1/track", BEARER, (id) => `{"event":"e","userId":${id},"properties":{"n":${id},"deep":{"list":[${id}]}}}`],
    ["calls of it together", "/v1/batch", BEARER, (id) => `{"batch":[{"type":"track","event":"e","userId":${id},"properties":{"n":${id},"deep":{"list":[${id}]}}}]}`],
    ["posthog", "/batch/", BEARER, (id) => `{"api_key":"${TOKEN}","batch":[{"event":"e","distinct_id":${id},"properties":{"n":${id},"deep":{"list":[${id}]}}}]}`],
    ["amplitude", "/2/httpapi", BEARER, (id) => `{"api_key":"${TOKEN}","events":[{"event_type":"e","user_id":${id},"event_properties":{"n":${id},"deep":{"list":[${id}]}}}]}`],
    ["umami", "/api/send", BEARER, (id) => `{"type":"event","payload":{"website":"${TOKEN}","name":"e","id":${id},"data":{"n":${id},"deep":{"list":[${id}]}}}}`],
    ["openpanel", "/track", { ...BEARER, "openpanel-client-secret": TOKEN }, (id) => `{"type":"track","payload":{"name":"e","profileId":${id},"properties":{"n":${id},"deep":{"list":[${id}]}}}}`],
    ["a form of mixpanel", "/track", FORM, (id) => `data=${encodeURIComponent(base64(`[{"event":"e","properties":{"token":"${TOKEN}","distinct_id":${id},"n":${id},"deep":{"list":[${id}]}}}]`))}`],
  ])("%s keeps both, as ids and in metadata", async (_, path, headers, bodyOf) => {
    const there = await serving();
    for (const id of [ODD, EVEN]) expect(await post(there, path, bodyOf(id), headers)).toMatchObject({ status: 200 });
    const events = await there.events();
    expect(events.map(({ userId }) => userId).sort()).toEqual([EVEN, ODD]);
    const metadata = (id: string) => events.find(({ userId }) => userId === id)?.metadata;
    expect(metadata(ODD)).toMatchObject({ n: ODD, deep: { list: [ODD] } });
    expect(metadata(EVEN)).toMatchObject({ n: 2 ** 53, deep: { list: [2 ** 53] } });
  });

  it("a query of mixpanel keeps both", async () => {
    const there = await serving();
    const data = (id: string) => encodeURIComponent(base64(`{"event":"e","properties":{"token":"${TOKEN}","distinct_id":${id}}}`));
    for (const id of [ODD, EVEN]) expect((await fetch(`${there.url}/track?data=${data(id)}`)).status).toBe(200);
    expect((await there.events()).map(({ userId }) => userId).sort()).toEqual([EVEN, ODD]);
  });

  it("a page keeps both in metadata, as JSON in JSON too", async () => {
    const there = await serving();
    const headers = { "content-type": "text/plain", origin: "https://shop.example", "user-agent": "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:130.0) Gecko/20100101 Firefox/130.0" };
    for (const n of [ODD, EVEN]) {
      const own = `{"key":"${PAGE_KEY}","events":[{"name":"own","url":"https://shop.example/","metadata":{"n":${n}}}]}`;
      const plausible = JSON.stringify({ n: "theirs", u: "https://shop.example/", d: PAGE_KEY, p: `{"n":${n}}` });
      expect((await post(there, "/v1/collect", own, headers)).status).toBe(204);
      expect((await post(there, "/api/event", plausible, headers)).status).toBe(204);
    }
    const values = async (name: string) => (await there.events()).filter((event) => event.name === name).map(({ metadata }) => metadata?.["n"]).sort();
    expect(await values("own")).toEqual([2 ** 53, ODD]);
    expect(await values("theirs")).toEqual([2 ** 53, ODD]);
  });

  it("records keep both: identify, group, alias, and those of the route of records", async () => {
    const there = await serving();
    for (const id of [ODD, EVEN]) {
      expect((await post(there, "/v1/identify", `{"userId":${id},"traits":{"n":${id}}}`)).status).toBe(200);
      expect((await post(there, "/v1/group", `{"userId":${id},"groupId":${id}}`)).status).toBe(200);
      expect((await post(there, "/v1/alias", `{"previousId":${id},"userId":"to ${id}"}`, { authorization: `Bearer ${WHOLE}` })).status).toBe(200);
      expect(await post(there, "/v1/records", `[{"type":"group","companyId":${id},"userId":"x"},{"type":"identify","anonymousId":${id},"email":${id}}]`)).toMatchObject({ answer: { accepted: 2, rejected: [] } });
    }
    const records = await there.records();
    const of = (type: string, member: string) => records.filter((record) => record.type === type).map((record) => (record as unknown as Record<string, unknown>)[member]);
    expect(of("identify", "userId").filter((id) => id !== undefined).sort()).toEqual([EVEN, ODD]);
    expect(of("identify", "anonymousId").filter((id) => id !== undefined).sort()).toEqual([EVEN, ODD]);
    expect(of("identify", "email").filter((id) => id !== undefined).sort()).toEqual([EVEN, ODD]);
    expect(of("identify", "traits").filter((traits) => traits !== undefined)).toEqual(expect.arrayContaining([{ n: ODD }, { n: 2 ** 53 }]));
    expect(of("group", "companyId").sort()).toEqual([EVEN, EVEN, ODD, ODD]);
    expect(of("alias", "from").sort()).toEqual([EVEN, ODD]);
  });

  it("people and companies of clients keep both", async () => {
    const there = await serving();
    const form = (text: string) => `data=${encodeURIComponent(base64(text))}`;
    for (const id of [ODD, EVEN]) {
      expect((await post(there, "/engage", form(`{"$token":"${TOKEN}","$distinct_id":${id},"$set":{"n":${id}}}`), FORM)).status).toBe(200);
      expect((await post(there, "/groups", form(`{"$token":"${TOKEN}","$group_key":"company","$group_id":${id},"$set":{"n":${id}}}`), FORM)).status).toBe(200);
    }
    const records = await there.records();
    expect(records.flatMap((record) => (record.type === "identify" ? [[record.userId, record.traits]] : []))).toEqual(expect.arrayContaining([[ODD, { n: ODD }], [EVEN, { n: 2 ** 53 }]]));
    expect(records.flatMap((record) => (record.type === "group" ? [[record.companyId, record.traits]] : []))).toEqual(expect.arrayContaining([[ODD, { n: ODD }], [EVEN, { n: 2 ** 53 }]]));
  });

  it("both are ids of events, orders and companies", async () => {
    const there = await serving();
    const members = (id: string) => `"id":${id},"externalId":${id},"companyId":${id}`;
    expect(await post(there, "/v1/events", `[{"name":"e","value":5,${members(ODD)}},{"name":"e","value":5,${members(EVEN)}},{"name":"e","value":5,${members(ODD)}}]`))
      .toMatchObject({ answer: { accepted: 2, duplicates: 1, rejected: [] } });
    const byText = `[{"name":"e","id":"${ODD}"},{"name":"e","id":"${EVEN}"}]`;
    expect(await post(there, "/v1/events", byText)).toMatchObject({ answer: { accepted: 0, duplicates: 2 } });
    expect((await there.events()).map(({ externalId, companyId }) => [externalId, companyId]).sort()).toEqual([[EVEN, EVEN], [ODD, ODD]]);
  });
});

describe("revenue", () => {
  it.each(["order_id", "transaction_id"])("counts orders that differ beyond 2^53 by metadata.%s, and one that came twice once", async (key) => {
    const there = await serving();
    const event = (id: string) => `{"name":"paid","metadata":{"revenue":5,"${key}":${id}}}`;
    await post(there, "/v1/events", `[${event(ODD)},${event(EVEN)},${event(ODD)}]`);
    const { rows } = await there.daybook.revenueByAttribution({ project: "shop" });
    expect(rows.map(({ revenue, orders }) => [revenue, orders])).toEqual([[10, 2]]);
  });
});

it("filters by JSON text find the digits and not their neighbour", async () => {
  const there = await serving();
  const stored = [ODD, EVEN, "9007199254740995", "10000000000000000000000", "10000000000000000000001"];
  await post(there, "/v1/events", `[${stored.map((id) => `{"name":"e","userId":${id},"metadata":{"n":${id}}}`).join(",")}]`);
  const filters: readonly (readonly [test: string, count: number])[] = [
    [`"=","value":${ODD}`, 1], [`"=","value":"${ODD}"`, 1], [`"!=","value":${ODD}`, 4], [`"=","value":${EVEN}`, 1], [`"=","value":9007199254740994`, 0],
    [`"in","value":[${ODD},${EVEN}]`, 2], [`"in","value":"[${ODD},1]"`, 1], [`"in","value":"${ODD},9007199254740995"`, 2], [`"not_in","value":[${ODD}]`, 4],
    [`"=","value":10000000000000000000000`, 1], [`"=","value":10000000000000000000001`, 1], [`"starts_with","value":${ODD}`, 1],
    [`">","value":${ODD}`, 3], [`">=","value":${ODD}`, 4], [`"<","value":${ODD}`, 1], [`"<=","value":${EVEN}`, 1], [`">","value":${EVEN}`, 4],
    [`">","value":10000000000000000000000`, 1], [`"between","value":"${ODD},9007199254740995"`, 2], [`"between","value":[${ODD},${ODD}]`, 1],
  ];
  for (const [test, count] of filters)
    for (const field of ["metadata.n", "user_id"])
      expect(await post(there, "/analytics/count-events", `{"filter_groups":[{"filters":[{"field_name":"${field}","operator":${test}}]}]}`), `${field} ${test}`).toMatchObject({ answer: { data: count } });
  const byField = async (field: string) => (await post(there, "/analytics/aggregate", `{${field}}`)).answer as { data: { property: string; count: number }[] };
  for (const field of ['"metadata_field":"n"', '"field":"user_id"']) expect((await byField(field)).data).toEqual(stored.toSorted().map((property) => ({ property, count: 1 })));
  expect(await post(there, "/analytics/count-events", `{"user_id":${ODD}}`)).toMatchObject({ answer: { data: 1 } });
});

it("an id with an exponent, or of more than 21 digits, is its digits", async () => {
  const there = await serving();
  const sent = ["1e21", "1E+22", "10000000000000000000000", "1e3", "1000", "1000.0"];
  await post(there, "/v1/events", `[${sent.map((id) => `{"name":"e","userId":${id}}`).join(",")}]`);
  for (const id of sent) await post(there, "/v1/track", `{"event":"e","anonymousId":${id}}`);
  const expected = ["1000", "1000", "1000", "1000000000000000000000", "10000000000000000000000", "10000000000000000000000"];
  const events = await there.events();
  expect(events.flatMap(({ userId }) => userId ?? []).sort()).toEqual(expected);
  expect(events.flatMap(({ anonymousId }) => anonymousId ?? []).sort()).toEqual(expected);
});

it("amounts and times that are such integers are refused by name, for text is none", async () => {
  const there = await serving();
  const { answer } = await post(there, "/v1/events", `[{"name":"e","value":${ODD}},{"name":"e","createdAt":1700000000000000000}]`);
  expect(answer).toMatchObject({
    rejected: [
      { code: "invalid_event", message: 'value: expected a finite number, got "9007199254740993"' },
      { code: "invalid_event", message: expect.stringContaining("createdAt: expected an RFC 3339 timestamp") as string },
    ],
  });
});

it("malformed JSON is told of by its position, integers beyond 2^53 before it or not", async () => {
  const there = await serving();
  for (const body of [`[{"name":"e","userId":${ODD}},]`, `{${ODD}:1}`, `[{"name":"e","userId":0${ODD}}]`]) {
    const { message } = await Promise.resolve(body).then(JSON.parse).catch((error: unknown) => error as Error) as Error;
    expect(await post(there, "/v1/events", body)).toMatchObject({ status: 400, answer: { code: "malformed_json", detail: `expected JSON: ${message}` } });
  }
  const lines = `{"name":"e","userId":${ODD}}\n{"name":${ODD},}`;
  expect(await post(there, "/v1/events", lines, { ...BEARER, "content-type": "application/x-ndjson" })).toMatchObject({ answer: { detail: expect.stringContaining("in line 2") as string } });
});
