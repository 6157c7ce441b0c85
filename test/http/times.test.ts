import { Int64, Table, TimestampMillisecond, tableToIPC, vectorFromArray, type DataType } from "apache-arrow";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fixedClock, memoryStorage, openDaybook, type Daybook } from "../../src/index.js";
import { serving, TOKEN } from "./clients/kit.js";
import { handlerOf, NOW_MS, send } from "./kit.js";

const NOW = new Date(NOW_MS).toISOString();
const NDJSON = { "content-type": "application/x-ndjson" };
const ARROW = { "content-type": "application/vnd.apache.arrow.stream" };

/** `Date.now() / 1000` of 2025-03-01 at 10:00 UTC. */
const SECONDS = 1_740_823_200;
const TOLD = "expected epoch milliseconds, these look like seconds (for 2025-03-01T10:00:00.000Z send 1740823200000, for a time before 1973 send RFC 3339 text)";

let daybook: Daybook;
beforeEach(async () => {
  daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW_MS) });
});
afterEach(() => daybook.close());

const post = (path: string, body: object | string | Buffer, headers: Record<string, string> = {}) => send(handlerOf(daybook), path, { body, headers });
const lines = (...items: object[]) => items.map((item) => JSON.stringify(item)).join("\n");

function arrowOf(type: DataType, times: readonly (bigint | number)[]): Buffer {
  const names = vectorFromArray(times.map(() => "visit"));
  return Buffer.from(tableToIPC(new Table({ name: names, createdAt: vectorFromArray([...times], type) }), "stream"));
}

describe("seconds over HTTP", () => {
  const seen = { name: "visit", createdAt: SECONDS };
  const call = { type: "track", event: "visit", timestamp: SECONDS };

  it.each<[string, string, object | string | Buffer, Record<string, string>, string]>([
    ["events", "/v1/events", [seen], {}, "createdAt"],
    ["lines of events", "/v1/events", lines(seen), NDJSON, "createdAt"],
    ["integers of Arrow", "/v1/events", arrowOf(new Int64(), [BigInt(SECONDS)]), ARROW, "createdAt"],
    ["records", "/v1/records", [{ type: "identify", userId: "ann", createdAt: SECONDS }], {}, "createdAt"],
    ["calls of a batch", "/v1/batch", { batch: [call] }, {}, "batch[0].timestamp"],
  ])("of %s are rejected by their place", async (_, path, body, headers, param) => {
    const { status, json } = await post(path, body, headers);
    expect([status, json]).toMatchObject([200, { accepted: 0, rejected: [{ index: 0, message: `${param}: ${TOLD}, got ${SECONDS}` }] }]);
  });

  it.each<[string, object]>([
    ["/v1/track", call], ["/v1/page", { timestamp: SECONDS }], ["/v1/identify", { userId: "ann", timestamp: SECONDS }],
    ["/v1/group", { groupId: "acme", userId: "ann", timestamp: SECONDS }], ["/v1/alias", { previousId: "a", userId: "ann", timestamp: SECONDS }],
  ])("of %s are 400", async (path, body) => {
    const { status, json } = await post(path, body);
    expect([status, json["detail"]]).toEqual([400, `timestamp: ${TOLD}, got ${SECONDS}`]);
  });

  it.each<[string, string, object, Record<string, string>]>([
    ["amplitude", "/2/httpapi", { api_key: TOKEN, events: [{ event_type: "visit", user_id: "u", time: SECONDS }] }, {}],
    ["posthog", "/batch/", { api_key: TOKEN, batch: [{ event: "visit", distinct_id: "u", timestamp: SECONDS }] }, {}],
    ["openpanel", "/track", { type: "track", payload: { name: "visit", profileId: "u", properties: { __timestamp: SECONDS } } }, { "openpanel-client-secret": TOKEN }],
  ])("of %s are 400, for it sends ms or text", async (_, path, body, headers) => {
    const there = await serving();
    const response = await fetch(`${there.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining("these look like seconds")]);
    expect(await there.events()).toEqual([]);
  });

  it.each([[SECONDS, "2025-03-01T10:00:00.000Z"], [31_536_000, "1971-01-01T00:00:00.000Z"]])("are what mixpanel and umami send: %d is %s", async (seconds, time) => {
    const there = await serving();
    const data = `data=${Buffer.from(JSON.stringify({ event: "visit", properties: { token: TOKEN, time: seconds, distinct_id: "u" } })).toString("base64")}`;
    await fetch(`${there.url}/track`, { method: "POST", headers: { "content-type": "application/x-www-form-urlencoded" }, body: data });
    await fetch(`${there.url}/api/send`, { method: "POST", body: JSON.stringify({ type: "event", payload: { website: TOKEN, name: "visit", id: "u", timestamp: seconds } }) });
    expect((await there.events()).map(({ createdAt }) => createdAt)).toEqual([time, time]);
  });

  it("are not meant by text of a time before 1973, nor by a timestamp of Arrow", async () => {
    const early = "1971-05-01T00:00:00.000Z";
    await post("/v1/track", { event: "visit", timestamp: early });
    await post("/v1/batch", { batch: [{ type: "page", timestamp: early }, { type: "identify", userId: "ann", timestamp: early }] });
    await post("/v1/events", arrowOf(new TimestampMillisecond("UTC"), [Date.parse(early)]), ARROW);
    expect((await daybook.searchEvents()).events.map(({ createdAt }) => createdAt)).toEqual([early, early, early]);
  });
});

describe("times more than five minutes ahead of the clock, over HTTP", () => {
  const later = "2027-01-01T00:00:00.000Z";
  const event = (createdAt: string) => ({ name: "visit", createdAt });
  const adjusted = (...indexes: number[]) => indexes.map((index) => ({ index, createdAt: NOW }));

  it.each<[string, string, object | string | Buffer, Record<string, string>, object]>([
    ["JSON", "/v1/events", [event(NOW), event(later)], {}, { accepted: 2, adjusted: adjusted(1) }],
    ["NDJSON", "/v1/events", lines(event(later), event(later)), NDJSON, { accepted: 2, adjusted: adjusted(0, 1) }],
    ["Arrow", "/v1/events", arrowOf(new TimestampMillisecond("UTC"), [Date.parse(later), NOW_MS]), ARROW, { accepted: 2, adjusted: adjusted(0) }],
    ["records", "/v1/records", [{ type: "identify", userId: "ann", createdAt: later }], {}, { accepted: 1, adjusted: adjusted(0) }],
    ["a call", "/v1/track", { event: "visit", timestamp: later }, {}, { success: true, accepted: 1, adjusted: adjusted(0) }],
    ["a call that ties ids", "/v1/identify", { userId: "ann", timestamp: later }, {}, { success: true, accepted: 1, adjusted: adjusted(0) }],
    ["a batch", "/v1/batch", { batch: [null, { type: "alias", previousId: "a", userId: "b", timestamp: later }, { type: "track", event: "a" }, { type: "track", event: "a", timestamp: later }] }, {},
      { success: true, accepted: 3, adjusted: adjusted(1, 3) }],
  ])("are named in the answer to %s", async (_, path, body, headers, answer) => {
    const { status, json } = await post(path, body, headers);
    expect([status, json]).toMatchObject([200, answer]);
  });

  it("stay where the Daybook that is served keeps them", async () => {
    await using keeping = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW_MS), futureEvents: "keep" });
    const { json } = await send(handlerOf(keeping), "/v1/events", { body: [event(later)] });
    expect(json).toEqual({ accepted: 1, duplicates: 0, rejected: [], adjusted: [] });
    expect((await keeping.searchEvents()).events[0]?.createdAt).toBe(later);
  });
});
