import { createClient } from "@clickhouse/client";
import { fixedClock, memoryStorage, openDaybook, type Daybook, type EventInput, type RecordInput, type Segment } from "daybook";
import { openClickHouse, type ClickHouseDaybook, type ClickHouseOptions } from "daybook/clickhouse";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { PrivacyRequest } from "../../src/engine/privacy/requests.js";
import { layouts, newDatabase, order, pathsWith } from "./kit.js";

const NOW = Date.UTC(2026, 2, 31, 12);
const at = (minute: number) => NOW - 86_400_000 + minute * 60_000;
const groupsOf = (value: string): Segment => {
  const filterGroups = [{ filters: [{ fieldName: "userId", operator: "=", value } as const] }];
  return { groups: [{ conditions: [{ type: "did", eventName: "visit", filterGroups }] }] };
};

/** Everything of Ann holds this text somewhere, and what others say of her; nothing else of theirs does. */
const SECRET = "zebra";

const events: EventInput[] = [
  { id: "1", name: "visit", anonymousId: "device-zebra", createdAt: at(0), url: "/", browser: "Chrome" },
  { id: "2", name: "signup-zebra", userId: "ann-zebra", anonymousId: "device-zebra", createdAt: at(1), url: "/for?a=zebra", metadata: { "key-zebra": 1, note: "zebra grass" } },
  { id: "3", name: "visit", userId: "ann-zebra-old", createdAt: at(2), browser: "Firefox", metadata: { plan: "pro", nested: { list: ["zebra"] } } },
  { id: "4", name: "visit", userId: "bob", anonymousId: "device-zebra", createdAt: at(3), url: "/", browser: "Chrome", metadata: { plan: "pro" } },
  { id: "5", name: "visit", userId: "bob", createdAt: at(4), url: "/", companyId: "acme", metadata: { plan: "free" } },
];
const records: RecordInput[] = [
  { type: "identify", id: "r1", userId: "ann-zebra", email: "Ann@Zebra.example", traits: { name: "Ann Zebra", zebra: true }, createdAt: at(1) },
  { type: "alias", id: "r2", from: "ann-zebra-old", to: "ann-zebra", createdAt: at(2) },
  { type: "group", id: "r3", companyId: "zebra-inc", userId: "ann-zebra", traits: { name: "Zebra Inc" }, createdAt: at(3) },
  { type: "identify", id: "r4", userId: "bob", email: "bob@other.example", traits: { 5: [1e21], email: " ANN@zebra.example ", plan: "größer" }, createdAt: at(4) },
  { type: "identify", id: "r5", userId: "carl", traits: { email: "Ann@zebra.example", name: "Carl" }, email: "", createdAt: at(5) },
  { type: "identify", id: "r6", userId: "eve", email: "ann@zebra.example", createdAt: at(6) },
  { type: "unlink", linkId: "r6", createdAt: at(7) },
  { type: "identify", id: "r7", userId: "dora", anonymousId: "device-zebra", createdAt: at(8) },
];

const OUT_OF_MEMORY = { kind: "error", times: 99, message: "Code: 241. DB::Exception: Memory limit exceeded. (MEMORY_LIMIT_EXCEEDED)" } as const;

type Some = Daybook | ClickHouseDaybook;

async function fill(daybook: Some): Promise<void> {
  await daybook.ingest(events);
  expect(await daybook.ingestRecords(records)).toMatchObject({ accepted: records.length });
  await daybook.segments.put("hers", groupsOf("ann-zebra"));
  await daybook.segments.put("theirs", groupsOf("bob"));
}

async function acknowledged(daybook: Some, type: "erasure" | "access", subject: { userId?: string; email?: string }): Promise<string> {
  const { id } = await daybook.privacyRequests.create({ type, subject });
  await daybook.privacyRequests.verify(id);
  await daybook.privacyRequests.acknowledge(id);
  return id;
}

async function erase(daybook: Some, subject: { userId?: string; email?: string }): Promise<PrivacyRequest> {
  return await daybook.privacyRequests.resolve(await acknowledged(daybook, "erasure", subject), "completed");
}

/** What is the same wherever it is kept: ids are made up, and there are no dictionaries here. */
function comparable({ receipt, ...request }: PrivacyRequest): object {
  return { ...request, id: "", receipt: receipt === null ? null : { ...receipt, dictionaryValues: 0, segmentsRewritten: 0 } };
}

async function listOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** All that is kept, and some answers. */
async function told(daybook: Some): Promise<unknown[]> {
  return [
    await listOf(daybook.exportEvents({ identityIds: true })),
    await listOf(daybook.exportRecords()),
    await daybook.segments.list(),
    await daybook.countUniqueUsers(),
    await daybook.countEvents({ userId: "device-zebra" }),
    await daybook.topCompanies(),
    await daybook.identityProfile({ userId: "bob" }),
    await daybook.identityProfile({ email: "ann@zebra.example" }).catch(({ code }: { code: string }) => code),
    // Of one moment they stand in the order of ids, which are made up.
    (await daybook.privacyRequests.list()).toSorted((a, b) => (a.type < b.type ? -1 : 1)).map(comparable),
  ];
}

/** What each of two answers, of which the other is the measure. */
async function expectSame<T>(both: readonly [Some, Some], ask: (daybook: Some) => Promise<T>): Promise<T> {
  const outcomeOf = (daybook: Some) => ask(daybook).catch(({ code, message }: { code: string; message: string }) => ({ code, message }));
  const [answer, expected] = [await outcomeOf(both[0]), await outcomeOf(both[1])];
  expect(answer).toEqual(expected);
  return answer as T;
}

describe.each(layouts)("privacy requests on ClickHouse, %s", (layout) => {
  let options: ClickHouseOptions;
  let daybook: ClickHouseDaybook;
  let embedded: Daybook;
  const closing: (() => Promise<void>)[] = [];
  const another = async (own: Partial<ClickHouseOptions> = {}) => {
    const made = await openClickHouse({ ...options, ...own });
    closing.push(() => made.close());
    return made;
  };
  beforeEach(async () => {
    const made = await newDatabase(layout, { clock: fixedClock(NOW) });
    options = made.options;
    closing.push(made.drop);
    daybook = await another();
    embedded = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW) });
    closing.push(() => embedded.close());
  });
  afterEach(async () => {
    await order();
    for (const close of closing.splice(0).reverse()) await close();
  });

  test("an erasure leaves nothing of the person, neither in answers nor in files, and brings nothing back", async () => {
    for (const each of [daybook, embedded]) await fill(each);
    expect(await pathsWith(SECRET)).not.toEqual([]);
    for (const each of [daybook, embedded]) await acknowledged(each, "access", { userId: "ann-zebra-old" });
    const erased = async (each: Some) => comparable(await erase(each, { email: "Ann@zebra.example" })) as PrivacyRequest;
    const { receipt } = await expectSame([daybook, embedded], erased);
    expect(receipt).toMatchObject({ events: 3, identifyCalls: 2, groupCalls: 1, aliasCalls: 1, userIds: 2, emails: 1 });
    expect(await pathsWith(SECRET)).toEqual([]);
    await expectSame([daybook, embedded], told);

    const other = await another({ clock: fixedClock(NOW + 60_000) });
    await using later = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW + 60_000) });
    await expectSame([daybook, embedded], (each) => each.ingest(events));
    await expectSame([daybook, embedded], (each) => each.ingestRecords(records));
    // Somebody else is told of, without the email.
    for (const each of [daybook, embedded]) await each.identify({ id: "r9", userId: "new", email: "ann@zebra.example", createdAt: at(1) });
    await expectSame([daybook, embedded], told);
    expect(await later.ingest([events[0] as EventInput])).toMatchObject({ accepted: 1 });
    expect((await other.ingest(events.slice(0, 3))).rejected.map(({ code }) => code)).toEqual(["suppressed", "suppressed", "suppressed"]);
    expect(await other.ingest([{ name: "visit", userId: "ann-zebra" }])).toMatchObject({ accepted: 1 });
  });

  test("requests have the steps, the errors and the bundle of an embedded Daybook", async () => {
    for (const each of [daybook, embedded]) await fill(each);
    const both = [daybook, embedded] as const;
    const ids = new Map<Some, string>();
    await expectSame(both, (each) => each.privacyRequests.create({ type: "access", subject: {} }));
    await expectSame(both, (each) => each.privacyRequests.create({ type: "access", subject: { userId: "x" }, project: "nowhere" } as never));
    await expectSame(both, (each) => each.privacyRequests.get("nobody"));
    await expectSame(both, async (each) => {
      const made = await each.privacyRequests.create({ type: "access", subject: { userId: "ann-zebra-old" }, regulation: "ccpa" });
      ids.set(each, made.id);
      return comparable(made);
    });
    const step = (name: "verify" | "acknowledge" | "extend") =>
      expectSame(both, async (each) => comparable(await each.privacyRequests[name](ids.get(each) ?? "")));
    await step("acknowledge");
    await step("verify");
    await expectSame(both, (each) => listOf(each.privacyRequests.bundle(ids.get(each) ?? "")));
    await step("acknowledge");
    expect(await expectSame(both, (each) => listOf(each.privacyRequests.bundle(ids.get(each) ?? "")))).toHaveLength(7);
    await step("extend");
    await step("extend");
    await expectSame(both, async (each) => comparable(await each.privacyRequests.resolve(ids.get(each) ?? "", "completed")));
    await expectSame(both, async (each) => comparable(await each.privacyRequests.resolve(ids.get(each) ?? "", "nonsense" as never)));
    await expectSame(both, async (each) => comparable(await erase(each, { userId: "nobody" })));
    await expectSame(both, (each) => each.ingest([{ id: "9", name: "visit", userId: "nobody", createdAt: at(1) }]));
    await expectSame(both, told);
  });

  test("an email that two were told with in one millisecond names the same one as embedded", async () => {
    const told = ["zoe", "abe", "kim"].map((userId, place): RecordInput =>
      ({ type: "identify", id: `00000000-0000-4000-8000-00000000000${place}`, userId, email: "both@x.example", createdAt: at(1) }));
    for (const each of [daybook, embedded]) await each.ingestRecords(told);
    const shown = async (each: Some) => [await acknowledged(each, "access", { email: "both@x.example" }), ...(await each.privacyRequests.list())];
    const [[, own], [, expected]] = [await shown(daybook), await shown(embedded)];
    expect((own as PrivacyRequest).identityId).toBe((expected as PrivacyRequest).identityId);
    for (const userId of ["abe", "kim"]) await expectSame([daybook, embedded], (each) => each.identityProfile({ userId }));
  });

  test.each(["ALTER TABLE", "INSERT INTO suppressed", "INSERT INTO privacy_requests", "system.parts"])(
    "an erasure that breaks off at any %j is finished by another process", async (statement) => {
      for (const each of [daybook, embedded]) await fill(each);
      await erase(embedded, { userId: "ann-zebra" });
      const id = await acknowledged(daybook, "erasure", { userId: "ann-zebra" });
      let failureCount = 0;
      for (let after = 0; after < 30; after += statement === "ALTER TABLE" ? 4 : 1) {
        await order({ ...OUT_OF_MEMORY, statement, after });
        const process = await another();
        const outcome = await process.privacyRequests.resolve(id, "completed").catch(({ code }: { code: string }) => code);
        await order();
        if (outcome !== "overloaded") break;
        failureCount += 1;
        expect((await process.privacyRequests.get(id)).status).toBe("acknowledged");
      }
      expect(failureCount).toBeGreaterThan(0);
      await expectSame([await another(), embedded], told);
      expect(await pathsWith(SECRET)).toEqual([]);
    });

  test("what others did on a device of the person is welcome however late it comes, and stored without the device and the emails", async () => {
    for (const each of [daybook, embedded]) await fill(each);
    for (const each of [daybook, embedded]) await erase(each, { userId: "ann-zebra" });
    const late: EventInput[] = [
      { id: "b", name: "visit", userId: "bob", anonymousId: "device-zebra", createdAt: at(9) },
      { id: "x", name: "visit", anonymousId: "device-zebra", createdAt: at(9) },
      { id: "y", name: "visit", userId: "Ann@zebra.example", createdAt: at(9) },
    ];
    const tells: RecordInput[] = [
      { type: "identify", id: "l1", userId: "bob", anonymousId: "device-zebra", email: "ann@zebra.example", traits: { email: "ann@zebra.example", plan: "pro" }, createdAt: at(9) },
      { type: "group", id: "l2", companyId: "acme", userId: "bob", anonymousId: "device-zebra", createdAt: at(9) },
      { type: "alias", id: "l3", from: "device-zebra", to: "bob", createdAt: at(9) },
    ];
    expect(await expectSame([daybook, embedded], (each) => each.ingest(late))).toMatchObject({ accepted: 1, rejected: [{ index: 1 }, { index: 2 }] });
    expect(await expectSame([daybook, embedded], (each) => each.ingestRecords(tells))).toMatchObject({ accepted: 2, rejected: [{ index: 2 }] });
    await expectSame([daybook, embedded], told);
    expect(await pathsWith(SECRET)).toEqual([]);
  });

  test("what is newer than an erasure that broke off stays when it is finished", async () => {
    const plain: EventInput[] = [
      { id: "1", name: "visit", userId: "ann", anonymousId: "tablet", createdAt: at(0) },
      { id: "2", name: "visit", userId: "bob", anonymousId: "tablet", createdAt: at(1) },
      // The clock of a device may be ahead.
      { id: "3", name: "visit", userId: "ann", anonymousId: "tablet", createdAt: NOW + 1_000 },
    ];
    const later: EventInput[] = [
      { id: "4", name: "visit", userId: "ann", anonymousId: "tablet", createdAt: NOW + 2_000 },
      { id: "5", name: "visit", userId: "bob", anonymousId: "tablet", createdAt: NOW + 3_000 },
    ];
    const link: RecordInput = { type: "identify", id: "6", userId: "bob", anonymousId: "phone", createdAt: NOW + 1 };
    for (const each of [daybook, embedded]) await each.ingest(plain);
    const id = await acknowledged(daybook, "erasure", { userId: "ann" });
    await order({ ...OUT_OF_MEMORY, statement: "ALTER TABLE" });
    await expect(daybook.privacyRequests.resolve(id, "completed")).rejects.toMatchObject({ code: "overloaded" });
    await order();
    await erase(embedded, { userId: "ann" });
    for (const each of [daybook, embedded]) {
      expect(await each.ingest(later)).toMatchObject({ accepted: 2 });
      await each.ingestRecords([link]);
    }
    await (await another()).privacyRequests.resolve(id, "completed");
    const events = await expectSame([await another(), embedded], (each) => listOf(each.exportEvents({ identityIds: true })));
    expect(events.map(({ userId, anonymousId }) => [userId, anonymousId])).toEqual([["bob", undefined], ["ann", "tablet"], ["bob", "tablet"]]);
    await expectSame([await another(), embedded], (each) => each.countEvents({ userId: "tablet" }));
  });

  test("what another process stored of the person while they were erased is gone when that process is told", async () => {
    for (const each of [daybook, embedded]) await fill(each);
    await erase(embedded, { userId: "ann-zebra" });
    const { url = "", ...place } = options;
    const client = createClient({ url, database: place.database });
    const insert = client.insert.bind(client);
    const other = await openClickHouse({ ...place, client });
    closing.push(() => other.close());
    // It looked who was erased, and stores when the erasure is done.
    let [look, finish]: [() => void, () => void] = [() => undefined, () => undefined];
    const hasLooked = new Promise<void>((resolve) => (look = resolve));
    const isDone = new Promise<void>((resolve) => (finish = resolve));
    client.insert = async (request) => {
      if (request.table === "events") {
        look();
        await isDone;
      }
      return await insert(request as never);
    };
    const more: EventInput[] = [
      { id: "late", name: "zebra", userId: "ann-zebra", anonymousId: "new-zebra", createdAt: at(9) },
      { id: "kept", name: "visit", userId: "bob", createdAt: at(9) },
      { id: "shared", name: "visit", userId: "bob", anonymousId: "device-zebra", createdAt: at(10) },
    ];
    const ingesting = other.ingest(more);
    await hasLooked;
    await erase(daybook, { userId: "ann-zebra" });
    expect(await pathsWith(SECRET)).toEqual([]);
    finish();
    expect(await ingesting).toMatchObject({ accepted: 2, duplicates: 0, rejected: [{ index: 0, code: "suppressed" }] });
    await embedded.ingest(more);
    await expectSame([daybook, embedded], told);
    expect(await pathsWith(SECRET)).toEqual([]);
  });
});
