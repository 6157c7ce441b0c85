import { describe, expect, test } from "vitest";
import { fixedClock, openDaybook, type Daybook, type EventInput, type Storage } from "daybook";
import { storedText } from "../store/stored-text.js";
import { lastingMemory } from "../store/objects.js";

const NOW = Date.UTC(2026, 2, 31, 12);
const at = (minute: number) => NOW - 86_400_000 + minute * 60_000;

/** Everything of Ann holds this text somewhere; nothing of Bob does. */
const SECRET = "zebra";

const events: EventInput[] = [
  { id: "1", name: "visit", anonymousId: "device-zebra", createdAt: at(0), url: "/", browser: "Chrome" },
  { id: "2", name: "signup-zebra", userId: "ann-zebra", anonymousId: "device-zebra", createdAt: at(1), url: "/welcome?for=zebra", metadata: { "key-zebra": 1, note: "zebra likes grass" } },
  { id: "3", name: "visit", userId: "ann-zebra-old", createdAt: at(2), browser: "Firefox", metadata: { plan: "pro", nested: { list: ["zebra"] } } },
  { id: "4", name: "visit", userId: "bob", anonymousId: "device-zebra", createdAt: at(3), url: "/", browser: "Chrome", metadata: { plan: "pro" } },
  { id: "5", name: "visit", userId: "bob", createdAt: at(4), url: "/", companyId: "acme", metadata: { plan: "free" } },
];

async function zoo(storage: Storage): Promise<Daybook> {
  const daybook = await openDaybook({ storage, clock: fixedClock(NOW) });
  await daybook.ingest(events.slice(0, 2));
  await daybook.identify({ userId: "ann-zebra", email: "Ann@Zebra.example", traits: { name: "Ann Zebra", zebra: true }, createdAt: at(1) });
  await daybook.seal();
  await daybook.ingest(events.slice(2));
  await daybook.alias({ from: "ann-zebra-old", to: "ann-zebra", createdAt: at(2) });
  await daybook.group({ companyId: "zebra-inc", userId: "ann-zebra", traits: { name: "Zebra Inc" }, createdAt: at(3) });
  await daybook.identify({ userId: "bob", email: "bob@other.example", createdAt: at(4) });
  return daybook;
}

async function erase(daybook: Daybook, subject: { userId?: string; email?: string }) {
  const { id } = await daybook.privacyRequests.create({ type: "erasure", subject });
  await daybook.privacyRequests.verify(id);
  await daybook.privacyRequests.acknowledge(id);
  return await daybook.privacyRequests.resolve(id, "completed");
}

describe("erasure", () => {
  test("The search of stored bytes finds what was not erased.", async () => {
    const storage = lastingMemory();
    await (await zoo(storage)).close();
    const text = await storedText(storage);
    expect([text.includes(SECRET), text.includes("bob")]).toEqual([true, true]);
  });

  test("No stored byte tells of the person afterwards, and the receipt says what went.", async () => {
    const storage = lastingMemory();
    const daybook = await zoo(storage);
    const other = await daybook.privacyRequests.create({ type: "access", subject: { userId: "ann-zebra-old" } });
    const { receipt, subject, status, resolution } = await erase(daybook, { email: "ann@zebra.example" });
    expect({ status, resolution, subject }).toEqual({ status: "resolved", resolution: "completed", subject: { erased: true } });
    expect(receipt).toMatchObject({ events: 3, identifyCalls: 1, groupCalls: 1, aliasCalls: 1, userIds: 2, emails: 1, segmentsRewritten: 2 });
    expect((await daybook.privacyRequests.get(other.id)).subject).toEqual({ erased: true });
    const text = await storedText(storage);
    expect(text.includes("bob")).toBe(true);
    expect(text.includes(SECRET)).toBe(false);
    await daybook.close();
    expect((await storedText(storage)).includes(SECRET)).toBe(false);
  });

  test("Answers are those of a log without the person, before and after opening again.", async () => {
    const storage = lastingMemory();
    const daybook = await zoo(storage);
    await erase(daybook, { userId: "ann-zebra" });
    const without = await openDaybook({ storage: lastingMemory(), clock: fixedClock(NOW) });
    await without.ingest([{ ...events[3], anonymousId: null } as EventInput, events[4] as EventInput]);
    await without.identify({ userId: "bob", email: "bob@other.example", createdAt: at(4) });
    const answers = async (some: Daybook) => [
      await some.countEvents(),
      await some.countUniqueUsers(),
      await some.searchEvents(),
      await some.aggregate({ field: "browser" }),
      await some.aggregate({ metadataField: "plan" }),
      await some.aggregate({ field: "url" }),
      await some.countEvents({ userId: "device-zebra" }),
      await some.countEvents({ filterGroups: [{ filters: [{ fieldName: "name", operator: "contains", value: "sign" }] }] }),
      await some.identityProfile({ email: "bob@other.example" }),
      await some.topCompanies(),
    ];
    const expected = await answers(without);
    expect(await answers(daybook)).toEqual(expected);
    await expect(daybook.identityProfile({ userId: "ann-zebra" })).rejects.toMatchObject({ code: "identity_not_found" });
    await daybook.close();
    const again = await openDaybook({ storage, clock: fixedClock(NOW) });
    expect(await answers(again)).toEqual(expected);
    expect(await again.privacyRequests.list()).toMatchObject([{ status: "resolved", subject: { erased: true } }]);
    await expect(again.companyTopUsers({ companyId: "zebra-inc" })).rejects.toMatchObject({ code: "company_not_found" });
  });

  test("What was erased cannot be brought back by importing it again; what happens later is welcome.", async () => {
    const storage = lastingMemory();
    const daybook = await zoo(storage);
    await erase(daybook, { userId: "ann-zebra" });
    const { accepted, duplicates, rejected } = await daybook.ingest(events);
    expect({ accepted, duplicates, codes: rejected.map(({ index, code }) => [index, code]) }).toEqual({
      accepted: 0,
      duplicates: 2,
      codes: [0, 1, 2].map((index) => [index, "suppressed"]),
    });
    await expect(daybook.identify({ userId: "ann-zebra", email: "x@y.z", createdAt: at(1) })).rejects.toMatchObject({ code: "suppressed" });
    await daybook.close();
    const later = await openDaybook({ storage, clock: fixedClock(NOW + 60_000) });
    expect(await later.ingest([{ ...events[0], id: "1b" } as EventInput])).toMatchObject({ accepted: 0 });
    expect(await later.ingest([{ name: "visit", userId: "ann-zebra" }])).toMatchObject({ accepted: 1 });
    expect(await later.ingest([{ ...events[1], id: "2b" } as EventInput])).toMatchObject({ accepted: 0 });
    expect(await later.countEvents({ userId: "ann-zebra" })).toBe(1);
  });

  test("An erased email does not come back in the traits beside another email, however it is written there.", async () => {
    const storage = lastingMemory();
    const daybook = await zoo(storage);
    await erase(daybook, { email: "ann@zebra.example" });
    const told = { userId: "new", email: "other@x.io", traits: { email: " Ann@ZEBRA.example ", plan: "pro" }, createdAt: at(1) };
    await daybook.identify(told);
    await daybook.ingestRecords([{ type: "identify", ...told, email: "ann@zebra.example" }]);
    const count = (fieldName: string, value: string) => daybook.countEvents({ filterGroups: [{ filters: [{ fieldName, operator: "=", value }] }] });
    await daybook.ingest([{ name: "visit", userId: "new", createdAt: at(1) }]);
    // What belongs to somebody else is kept: their traits, and the email that is theirs alone.
    expect([await count("person.plan", "pro"), await count("person.email", "other@x.io")]).toEqual([1, 1]);
    await expect(daybook.identityProfile({ email: "ann@zebra.example" })).rejects.toMatchObject({ code: "identity_not_found" });
    await daybook.close();
    expect((await storedText(storage)).toLowerCase()).not.toContain(SECRET);
    const later = await openDaybook({ storage, clock: fixedClock(NOW + 60_000) });
    await later.identify({ ...told, createdAt: NOW + 60_000 });
    await later.close();
  });

  test("A query under way ends with the answer it began with.", async () => {
    const daybook = await zoo(lastingMemory());
    const exported: unknown[] = [];
    const reading = daybook.exportEvents()[Symbol.asyncIterator]();
    exported.push((await reading.next()).value);
    let isDone = false;
    const erasing = erase(daybook, { userId: "ann-zebra" }).then(() => (isDone = true));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isDone).toBe(false);
    // Writing goes on, and who was erased comes back with nothing of old.
    expect(await daybook.ingest([{ name: "later", userId: "carl", browser: "Firefox" }])).toMatchObject({ accepted: 1 });
    for (let next = await reading.next(); next.done !== true; next = await reading.next()) exported.push(next.value);
    await erasing;
    expect(exported).toHaveLength(5);
    expect(exported[1]).toMatchObject({ userId: "ann-zebra", anonymousId: "device-zebra" });
  });

  test("A record that waits while its subject is erased is refused.", async () => {
    const daybook = await zoo(lastingMemory());
    const { id } = await daybook.privacyRequests.create({ type: "erasure", subject: { userId: "ann-zebra" } });
    await daybook.privacyRequests.verify(id);
    await daybook.privacyRequests.acknowledge(id);
    const erasing = daybook.privacyRequests.resolve(id, "completed");
    await expect(daybook.identify({ userId: "ann-zebra", email: "x@y.z", createdAt: at(1) })).rejects.toMatchObject({ code: "suppressed" });
    await erasing;
  });

  test("Files that could not be removed at first are removed by the next erasure, and the erasure stands.", async () => {
    const storage = lastingMemory();
    const remove = storage.remove.bind(storage);
    const daybook = await zoo(storage);
    storage.remove = (key) => (key.startsWith("journal/") ? remove(key) : Promise.reject(new Error("EIO")));
    await expect(erase(daybook, { userId: "ann-zebra" })).rejects.toThrow("EIO");
    expect(await daybook.privacyRequests.list()).toMatchObject([{ status: "resolved", subject: { erased: true }, receipt: { events: 3 } }]);
    expect(await daybook.ingest(events)).toMatchObject({ accepted: 0 });
    storage.remove = remove;
    await erase(daybook, { userId: "nobody" });
    expect(await storedText(storage)).not.toContain(SECRET);
  });

  test("Somebody of whom nothing is held can be erased: nothing goes, and nothing comes.", async () => {
    const daybook = await zoo(lastingMemory());
    expect((await erase(daybook, { userId: "nobody" })).receipt).toMatchObject({ events: 0, segmentsRewritten: 0, dictionaryValues: 0 });
    expect(await daybook.countEvents()).toBe(5);
    expect(await daybook.ingest([{ name: "late", userId: "nobody", createdAt: at(0) }])).toMatchObject({ accepted: 0 });
  });
});

/** Ann and Bob share a tablet. It is hers, for she was there first; what he does there is his. */
const shared: EventInput[] = [
  { id: "a1", name: "visit", userId: "ann", anonymousId: "tablet", createdAt: at(0) },
  { id: "x1", name: "visit", anonymousId: "tablet", createdAt: at(1) },
  { id: "b1", name: "visit", userId: "bob", anonymousId: "tablet", createdAt: at(2) },
];

describe("what is left to others", () => {
  test("An event of another person on a shared device is welcome however late it comes, without the device.", async () => {
    await using daybook = await openDaybook({ storage: lastingMemory(), clock: fixedClock(NOW) });
    await daybook.ingest(shared);
    expect((await erase(daybook, { userId: "ann" })).receipt).toMatchObject({ events: 2, anonymousIds: 1 });
    const late: EventInput[] = [
      { id: "b2", name: "buy", userId: "bob", anonymousId: "tablet", createdAt: at(3) },
      { id: "x2", name: "visit", anonymousId: "tablet", createdAt: at(4) },
      { id: "a2", name: "visit", userId: "ann", anonymousId: "phone", createdAt: at(4) },
      { id: "b3", name: "buy", userId: "bob", anonymousId: "tablet", createdAt: NOW },
      { id: "b4", name: "buy", userId: "bob", anonymousId: "tablet", createdAt: NOW + 1 },
    ];
    const { accepted, rejected } = await daybook.ingest(late);
    expect([accepted, rejected.map(({ index, code }) => [index, code])]).toEqual([3, [[1, "suppressed"], [2, "suppressed"]]]);
    const found = (await daybook.searchEvents()).events.map(({ name, userId, anonymousId }) => [name, userId, anonymousId]);
    expect(found).toEqual([["buy", "bob", "tablet"], ["buy", "bob", ""], ["buy", "bob", ""], ["visit", "bob", ""]]);
  });

  test("What others are told of on a shared device is welcome too, and a link of that device is not.", async () => {
    await using daybook = await openDaybook({ storage: lastingMemory(), clock: fixedClock(NOW) });
    await daybook.ingest(shared);
    await erase(daybook, { userId: "ann" });
    const { accepted, rejected } = await daybook.ingestRecords([
      { type: "identify", userId: "bob", anonymousId: "tablet", email: "bob@x.io", createdAt: at(5) },
      { type: "group", companyId: "acme", userId: "bob", anonymousId: "tablet", traits: { name: "Acme" }, createdAt: at(5) },
      { type: "identify", anonymousId: "tablet", email: "who@x.io", createdAt: at(5) },
      { type: "group", companyId: "acme", anonymousId: "tablet", createdAt: at(5) },
      { type: "alias", from: "tablet", to: "bob", createdAt: at(5) },
      { type: "alias", from: "bob", to: "ann", createdAt: at(5) },
    ]);
    expect([accepted, rejected.map(({ index, code }) => [index, code])]).toEqual([2, [2, 3, 4, 5].map((index) => [index, "suppressed"])]);
    expect(await daybook.identityProfile({ email: "bob@x.io" })).toMatchObject({ events: 1 });
    expect((await daybook.topCompanies()).companies).toMatchObject([{ companyId: "acme", name: "Acme", users: 1 }]);
    await expect(daybook.identityProfile({ userId: "tablet" })).rejects.toMatchObject({ code: "identity_not_found" });
  });

  test("An email of two users stays the other's: in lookups, in records that were taken back, and in saved segments.", async () => {
    await using daybook = await openDaybook({ storage: lastingMemory(), clock: fixedClock(NOW) });
    const email = "home@x.io";
    await daybook.ingest([{ name: "visit", userId: "ann", createdAt: at(0) }, { name: "visit", userId: "bob", createdAt: at(0) }]);
    const { linkId } = await daybook.identify({ userId: "bob", email, traits: { first: true }, createdAt: at(1) });
    await daybook.unlink(linkId);
    await daybook.identify({ userId: "bob", email, createdAt: at(2) });
    await daybook.identify({ userId: "ann", email, createdAt: at(3) });
    await daybook.segments.put("home", { groups: [{ conditions: [{ type: "trait", field: "email", operator: "=", value: email }] }] });
    expect((await erase(daybook, { email })).receipt).toMatchObject({ events: 1, identifyCalls: 1, emails: 0 });
    expect(await daybook.identityProfile({ email })).toMatchObject({ events: 1 });
    const records: string[] = [];
    for await (const { type } of daybook.exportRecords()) records.push(type);
    expect(records.sort()).toEqual(["identify", "identify", "unlink"]);
    expect((await daybook.segments.list()).map(({ name }) => name)).toEqual(["home"]);
    await daybook.identify({ userId: "bob", email, createdAt: at(4) });
  });

  test("A request of a user whose id is spelled as the device of the erased stays theirs.", async () => {
    await using daybook = await openDaybook({ storage: lastingMemory(), clock: fixedClock(NOW) });
    await daybook.ingest([{ name: "visit", userId: "ann", anonymousId: "7", createdAt: at(0) }, { name: "visit", userId: "7", createdAt: at(0) }]);
    const theirs = await daybook.privacyRequests.create({ type: "access", subject: { userId: "7" } });
    await erase(daybook, { userId: "ann" });
    expect((await daybook.privacyRequests.get(theirs.id)).subject).toEqual({ userId: "7" });
    expect(await daybook.ingest([{ name: "visit", userId: "7", createdAt: at(0) }])).toMatchObject({ accepted: 1 });
  });

  test("An email that was erased does not come back as a user id.", async () => {
    await using daybook = await openDaybook({ storage: lastingMemory(), clock: fixedClock(NOW) });
    await daybook.identify({ userId: "ann", email: "ann@x.io", createdAt: at(0) });
    await erase(daybook, { userId: "ann" });
    const event = { name: "visit", userId: "Ann@x.io", createdAt: at(1) };
    expect((await daybook.ingest([event, { ...event, createdAt: NOW + 1 }])).rejected).toMatchObject([{ index: 0, code: "suppressed" }]);
    await expect(daybook.identify({ userId: "ann@x.io", createdAt: at(1) })).rejects.toMatchObject({ code: "suppressed" });
    await expect(daybook.alias({ from: "ann@x.io", to: "bob", createdAt: at(1) })).rejects.toMatchObject({ code: "suppressed" });
  });
});

test("A request that names a project is refused: it is about a person, in all projects.", async () => {
  await using daybook = await openDaybook({ storage: lastingMemory(), clock: fixedClock(NOW) });
  const input = { type: "erasure", subject: { userId: "ann" }, project: "default" } as never;
  await expect(daybook.privacyRequests.create(input)).rejects.toMatchObject({ code: "unknown_parameter", message: expect.stringContaining("project") as string });
  expect(await daybook.privacyRequests.create({ type: "erasure", subject: { userId: "ann" } })).toMatchObject({ project: null });
});

describe("whose an erasure is", () => {
  test("An email names whom it named when the request came, whoever has it when it is resolved.", async () => {
    const daybook = await zoo(lastingMemory());
    const { id } = await daybook.privacyRequests.create({ type: "erasure", subject: { email: "ann@zebra.example" } });
    await daybook.identify({ userId: "bob", email: "ann@zebra.example", createdAt: at(10) });
    await daybook.privacyRequests.verify(id);
    await daybook.privacyRequests.acknowledge(id);
    expect((await daybook.privacyRequests.resolve(id, "completed")).receipt).toMatchObject({ events: 3, userIds: 2 });
    expect(await daybook.countEvents({ userId: "bob" })).toBe(2);
  });

  test("An email names the very id that had it: a merge that was taken back in between does not matter.", async () => {
    const daybook = await zoo(lastingMemory());
    const { linkId } = await daybook.alias({ from: "ann-zebra", to: "bob", createdAt: at(6) });
    const { id } = await daybook.privacyRequests.create({ type: "erasure", subject: { email: "ann@zebra.example" } });
    await daybook.unlink(linkId);
    await daybook.privacyRequests.verify(id);
    await daybook.privacyRequests.acknowledge(id);
    await daybook.privacyRequests.resolve(id, "completed");
    expect((await daybook.searchEvents()).events.map(({ userId }) => userId)).toEqual(["bob", "bob"]);
  });

  test("Whoever has the email by now keeps their own requests, until they are carried out.", async () => {
    const daybook = await zoo(lastingMemory());
    const subject = { email: "ann@zebra.example" };
    const first = await daybook.privacyRequests.create({ type: "erasure", subject });
    await daybook.identify({ userId: "bob", ...subject, createdAt: at(10) });
    const second = await daybook.privacyRequests.create({ type: "erasure", subject });
    for (const { id } of [first, second]) {
      await daybook.privacyRequests.verify(id);
      await daybook.privacyRequests.acknowledge(id);
    }
    await daybook.privacyRequests.resolve(first.id, "completed");
    expect((await daybook.privacyRequests.get(second.id)).subject).toEqual(subject);
    await daybook.privacyRequests.resolve(second.id, "completed");
    expect(await daybook.countEvents()).toBe(0);
  });

  test("A request by an email that is another's by now goes with the person that it was about.", async () => {
    const storage = lastingMemory();
    const daybook = await zoo(storage);
    const access = await daybook.privacyRequests.create({ type: "access", subject: { email: "ann@zebra.example" } });
    await daybook.identify({ userId: "bob", email: "ann@zebra.example", createdAt: at(10) });
    await daybook.alias({ from: "ann-zebra", to: "annabel", createdAt: at(11) });
    await erase(daybook, { userId: "annabel" });
    expect((await daybook.privacyRequests.get(access.id)).subject).toEqual({ erased: true });
    expect((await storedText(storage)).includes("ann-zebra")).toBe(false);
  });

  test("A request that comes while somebody is erased names them by nothing but its own subject.", async () => {
    const storage = lastingMemory();
    const daybook = await openDaybook({ storage, clock: fixedClock(NOW) });
    await daybook.identify({ userId: "ann-zebra", email: "ann@x.example", createdAt: at(0) });
    const { id } = await daybook.privacyRequests.create({ type: "erasure", subject: { userId: "ann-zebra" } });
    await daybook.privacyRequests.verify(id);
    await daybook.privacyRequests.acknowledge(id);
    const erasing = daybook.privacyRequests.resolve(id, "completed");
    const request = daybook.privacyRequests.create({ type: "access", subject: { email: "ann@x.example" } });
    expect((await erasing).receipt).toMatchObject({ identifyCalls: 1 });
    expect(await request).toMatchObject({ status: "pending_verification", subject: { email: "ann@x.example" } });
    expect(await storedText(storage)).not.toContain(SECRET);
  });

  test("A user id that is an email is the same person's as the email, in every request.", async () => {
    const storage = lastingMemory();
    const daybook = await openDaybook({ storage, clock: fixedClock(NOW) });
    await daybook.ingest([{ name: "visit", userId: "Zoe@Zebra.example", createdAt: at(0) }]);
    const others = [{ email: "zoe@zebra.example" }, { userId: "Zoe@Zebra.example" }, { userId: "zoe@zebra.example" }];
    for (const subject of others) await daybook.privacyRequests.create({ type: "access", subject });
    await daybook.privacyRequests.create({ type: "access", subject: { userId: "bob" } });
    await erase(daybook, { email: "zoe@zebra.example" });
    const subjects = (await daybook.privacyRequests.list()).map(({ subject }) => ("erased" in subject ? "erased" : "theirs"));
    expect(subjects.sort()).toEqual(["erased", "erased", "erased", "erased", "theirs"]);
    expect((await storedText(storage)).toLowerCase()).not.toContain(SECRET);
  });

  test("A record that was taken back goes with the person whose email it named.", async () => {
    const storage = lastingMemory();
    const daybook = await openDaybook({ storage, clock: fixedClock(NOW) });
    await daybook.ingest([{ name: "visit", userId: "bob", createdAt: at(0) }]);
    const { linkId } = await daybook.identify({ userId: "bob", email: "ann@zebra.example", traits: { note: "not zebra" }, createdAt: at(1) });
    await daybook.unlink(linkId);
    await erase(daybook, { email: "ann@zebra.example" });
    expect(await storedText(storage)).not.toContain(SECRET);
    expect(await daybook.countEvents()).toBe(1);
  });

  test("Somebody who is not known stays out, whichever id of theirs it was.", async () => {
    const daybook = await zoo(lastingMemory());
    await erase(daybook, { userId: "nobody" });
    const late = [{ name: "late", userId: "nobody", createdAt: at(0) }, { name: "late", anonymousId: "nobody", createdAt: at(0) }];
    expect(await daybook.ingest(late)).toMatchObject({ accepted: 0 });
  });
});

test("A bundle is everything that is held about a person, and nothing of another.", async () => {
  const daybook = await zoo(lastingMemory());
  const { id } = await daybook.privacyRequests.create({ type: "access", subject: { email: "ann@zebra.example" } });
  await expect(daybook.privacyRequests.bundle(id)[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: "invalid_transition" });
  await daybook.privacyRequests.verify(id);
  await daybook.privacyRequests.acknowledge(id);
  const lines: string[] = [];
  for await (const line of daybook.privacyRequests.bundle(id)) lines.push(line);
  const records = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.every((line) => line.endsWith("\n"))).toBe(true);
  expect(records.map(({ kind }) => kind)).toEqual(["identity", "identify", "alias", "group", "event", "event", "event"]);
  expect(records[0]).toMatchObject({ resolvedIdentifier: "ann@zebra.example", userIds: ["ann-zebra", "ann-zebra-old"] });
  expect(lines.join("")).not.toContain("bob");
  // Somebody else was told of on the same device: that is not about this person.
  await daybook.identify({ userId: "bob", anonymousId: "device-zebra", email: "bob@secret.example", createdAt: at(9) });
  for await (const line of daybook.privacyRequests.bundle(id)) expect(line).not.toContain("bob");
});
