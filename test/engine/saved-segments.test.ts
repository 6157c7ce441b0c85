import { describe, expect, test } from "vitest";
import { fixedClock, openDaybook, verifyStore, type Daybook, type Segment, type Storage } from "daybook";
import { LIMITS } from "../../src/core/base/limits.js";
import { SAVED_SEGMENTS_KEY } from "../../src/store/files/side-files.js";
import { useLimits } from "../limits.js";
import { lastingMemory } from "../store/objects.js";
import { storedText } from "../store/stored-text.js";

const NOW = Date.UTC(2026, 2, 31, 12);
const open = (storage: Storage, more: object = {}) => openDaybook({ storage, clock: fixedClock(NOW), ...more });

const BUYERS: Segment = { groups: [{ conditions: [{ type: "did", eventName: "order", atLeast: 2, startDate: new Date(NOW), endDate: undefined, filterGroups: null }] }] };
const trait = (value: unknown, operator = "="): Segment => ({ groups: [{ conditions: [{ type: "trait", field: "email", operator, value }] }] });
const filter = (value: unknown, operator = "="): Segment => ({
  groups: [{ conditions: [{ type: "did", filterGroups: [{ filters: [{ fieldName: "user_id", operator, value }] }] }] }],
});

const countIn = (daybook: Daybook, name: string, more: object = {}) =>
  daybook.countEvents({ filterGroups: [{ filters: [{ fieldName: "identity_id", operator: "in_segment", value: name }] }], ...more });

describe("saved segments", () => {
  test("are kept as they were put, with dates as texts, and listed by name", async () => {
    await using daybook = await open(lastingMemory());
    const saved = { name: "buyers", groups: [{ conditions: [{ type: "did", eventName: "order", atLeast: 2, startDate: "2026-03-31T12:00:00.000Z", filterGroups: null }] }] };
    expect(await daybook.segments.put("buyers", BUYERS)).toEqual(saved);
    await daybook.segments.put("Z", trait("a"));
    await daybook.segments.put("a-1", trait("a"));
    const list = await daybook.segments.list();
    expect(list).toEqual([{ name: "Z", ...trait("a") }, { name: "a-1", ...trait("a") }, saved]);
    // What was answered is the caller's.
    (list[0] as { name: string }).name = "changed";
    (list[2]?.groups as unknown[]).pop();
    expect((await daybook.segments.list()).map(({ name, groups }) => [name, groups.length])).toEqual([["Z", 1], ["a-1", 1], ["buyers", 1]]);
  });

  test("take the place of one of the same name, and go when they are deleted", async () => {
    await using daybook = await open(lastingMemory());
    await daybook.segments.put("a", trait("x"));
    await daybook.segments.put("a", trait("y"));
    expect(await daybook.segments.list()).toEqual([{ name: "a", ...trait("y") }]);
    expect([await daybook.segments.delete("a"), await daybook.segments.delete("a"), await daybook.segments.list()]).toEqual([true, false, []]);
  });

  test("are those that filters name, as one that the query brings would be", async () => {
    await using daybook = await open(lastingMemory());
    await daybook.ingest([
      { name: "order", userId: "ann", createdAt: NOW - 1_000 },
      { name: "order", userId: "ann", createdAt: NOW - 2_000 },
      { name: "order", userId: "bob", createdAt: NOW - 3_000 },
    ]);
    const twice: Segment = { groups: [{ conditions: [{ type: "did", eventName: "order", atLeast: 2 }] }] };
    await expect(countIn(daybook, "twice")).rejects.toMatchObject({ code: "invalid_filter_value", details: { param: "filterGroups[0].filters[0].value" } });
    await daybook.segments.put("twice", twice);
    expect(await countIn(daybook, "twice")).toBe(await countIn(daybook, "own", { segments: { own: twice } }));
    expect(await countIn(daybook, "twice")).toBe(2);
    await daybook.ingest([{ name: "order", userId: "bob", createdAt: NOW - 4_000 }]);
    expect(await countIn(daybook, "twice")).toBe(4);
    await expect(countIn(daybook, "twice", { segments: { twice } })).rejects.toMatchObject({ code: "invalid_parameter", details: { param: "segments.twice" } });
    await daybook.segments.delete("twice");
    await expect(countIn(daybook, "twice")).rejects.toMatchObject({ code: "invalid_filter_value" });
  });

  test.each<[name: unknown, segment: unknown, code: string, param: string]>([
    ["", BUYERS, "invalid_parameter", "name"],
    ["a b", BUYERS, "invalid_parameter", "name"],
    ["a".repeat(65), BUYERS, "invalid_parameter", "name"],
    [5, BUYERS, "invalid_parameter", "name"],
    ["a", null, "invalid_parameter", "input"],
    ["a", {}, "invalid_parameter", "groups"],
    ["a", { groups: [] }, "invalid_parameter", "groups"],
    ["a", { groups: [{ conditions: [{ type: "bought" }] }] }, "invalid_parameter", "groups[0].conditions[0].type"],
    ["a", { groups: [{ conditions: [{ type: "did", atLeast: 0 }] }] }, "invalid_parameter", "groups[0].conditions[0].atLeast"],
    ["a", { groups: [{ conditions: [{ type: "did", startDate: "soon" }] }] }, "invalid_date", "groups[0].conditions[0].startDate"],
    ["a", trait("(", "regex"), "invalid_regex", "groups[0].conditions[0].value"],
    ["a", filter("other", "in_segment"), "invalid_operator", "groups[0].conditions[0].filterGroups[0].filters[0].operator"],
    ["a", { groups: [{ conditions: Array.from({ length: 50 }, () => filter(["a"], "in").groups[0]?.conditions[0]) }, ...Array.from({ length: 2 }, () => ({ conditions: Array.from({ length: 30 }, () => trait("a").groups[0]?.conditions[0]) }))] }, "too_many_filters", "groups[2].conditions[20]"],
  ])("are refused when there is something wrong with them: %j %j", async (name, segment, code, param) => {
    await using daybook = await open(lastingMemory());
    await expect(daybook.segments.put(name as never, segment as never)).rejects.toMatchObject({ code, details: { param } });
    expect(await daybook.segments.list()).toEqual([]);
  });

  test("outlive the process, are known to a reader beside it, and are its to read alone", async () => {
    const storage = lastingMemory();
    const writer = await open(storage);
    await writer.segments.put("buyers", BUYERS);
    const reader = await open(storage, { readOnly: true });
    expect(await reader.segments.list()).toEqual(await writer.segments.list());
    await expect(reader.segments.put("other", BUYERS)).rejects.toMatchObject({ code: "read_only" });
    await expect(reader.segments.delete("buyers")).rejects.toMatchObject({ code: "read_only" });
    await reader.close();
    await writer.close();
    for (const act of [() => writer.segments.list(), () => writer.segments.put("a", BUYERS), () => writer.segments.delete("a")]) await expect(act()).rejects.toMatchObject({ code: "closed" });
    await using again = await open(storage);
    expect((await again.segments.list()).map(({ name }) => name)).toEqual(["buyers"]);
  });

  test("that were put at once are all there", async () => {
    const storage = lastingMemory();
    const daybook = await open(storage);
    const names = Array.from({ length: 20 }, (_, at) => `s${at}`);
    await Promise.all(names.map((name) => daybook.segments.put(name, BUYERS)));
    await daybook.close();
    await using again = await open(storage);
    expect((await again.segments.list()).map(({ name }) => name)).toEqual(names.sort());
  });
});

describe("within bounds", () => {
  useLimits({ savedSegmentCount: 3, savedSegmentBytes: 2_000 });

  test("there are so many saved segments, and so much of them", async () => {
    await using daybook = await open(lastingMemory());
    for (const name of ["a", "b", "c"]) await daybook.segments.put(name, trait("x"));
    await daybook.segments.put("a", trait("y"));
    await expect(daybook.segments.put("d", trait("x"))).rejects.toMatchObject({ code: "invalid_parameter", details: { param: "name" } });
    await expect(daybook.segments.put("c", trait("x".repeat(2_000)))).rejects.toMatchObject({ code: "invalid_parameter", details: { param: "groups" } });
    expect((await daybook.segments.list()).map(({ name, groups }) => [name, (groups[0]?.conditions[0] as { value: string }).value])).toEqual([["a", "y"], ["b", "x"], ["c", "x"]]);
    expect(LIMITS.savedSegmentCount).toBe(3);
  });
});

describe("an erasure", () => {
  test("deletes the saved segments in which an id or an email of the person stands, and no others", async () => {
    const storage = lastingMemory();
    const daybook = await open(storage);
    await daybook.ingest([
      { name: "a", userId: "ann-zebra", anonymousId: "phone-zebra", createdAt: NOW - 1_000 },
      { name: "a", userId: "bob", createdAt: NOW - 1_000 },
      { name: "a", userId: "7", createdAt: NOW - 1_000 },
    ]);
    await daybook.identify({ userId: "ann-zebra", email: "Ann@zebra.example", createdAt: NOW - 1_000 });
    await daybook.alias({ from: "7", to: "ann-zebra", createdAt: NOW - 1_000 });
    const { identityId = "" } = (await daybook.identityProfile({ userId: "ann-zebra" })) ?? {};
    expect(identityId).toMatch(/^idn_/);
    const theirs: Readonly<Record<string, Segment>> = {
      id: filter("ann-zebra"),
      listed: filter("bob, phone-zebra", "in"),
      array: filter(["bob", "ann-zebra"], "not_in"),
      json: filter('["bob","phone-zebra"]', "in"),
      number: filter(7),
      email: trait(" ANN@Zebra.example"),
      identity: { groups: [{ conditions: [{ type: "did", filterGroups: [{ filters: [{ fieldName: "identity_id", operator: "in", value: ["idn_0", identityId] }] }] }] }] },
      company: { groups: [{ conditions: [{ type: "company", operator: "is_set" }] }, { conditions: [{ type: "company", operator: "!=", value: "ann-zebra" }] }] },
    };
    const others: Readonly<Record<string, Segment>> = { bob: filter("bob"), part: trait("ann", "contains"), buyers: BUYERS, seventy: filter(70), none: trait(undefined, "is_set") };
    for (const [name, segment] of Object.entries({ ...theirs, ...others })) await daybook.segments.put(name, segment);
    const { id } = await daybook.privacyRequests.create({ type: "erasure", subject: { userId: "ann-zebra" } });
    await daybook.privacyRequests.verify(id);
    await daybook.privacyRequests.acknowledge(id);
    expect((await daybook.segments.list()).length).toBe(13);
    await daybook.privacyRequests.resolve(id, "completed");
    expect((await daybook.segments.list()).map(({ name }) => name)).toEqual(Object.keys(others).sort());
    expect(await storedText(storage)).not.toContain("zebra");
    await daybook.close();
    await using again = await open(storage);
    expect((await again.segments.list()).map(({ name }) => name)).toEqual(Object.keys(others).sort());
  });

  test("deletes those of an email or an id that nobody has", async () => {
    await using daybook = await open(lastingMemory());
    await daybook.segments.put("a", trait("nobody@zebra.example"));
    await daybook.segments.put("b", filter("nobody"));
    for (const subject of [{ email: "Nobody@zebra.example" }, { userId: "nobody" }]) {
      const { id } = await daybook.privacyRequests.create({ type: "erasure", subject });
      await daybook.privacyRequests.verify(id);
      await daybook.privacyRequests.acknowledge(id);
      await daybook.privacyRequests.resolve(id, "completed");
    }
    expect(await daybook.segments.list()).toEqual([]);
  });
});

describe("the file of saved segments", () => {
  async function stored(): Promise<{ storage: ReturnType<typeof lastingMemory>; bytes: Uint8Array }> {
    const storage = lastingMemory();
    const daybook = await open(storage);
    await daybook.ingest([{ name: "a", createdAt: NOW }]);
    await daybook.segments.put("buyers", trait("a"));
    await daybook.close();
    return { storage, bytes: (await storage.read(SAVED_SEGMENTS_KEY)) ?? new Uint8Array() };
  }

  test("is JSON with a checksum", async () => {
    const { bytes, storage } = await stored();
    expect(new TextDecoder().decode(bytes)).toBe(
      '{"segments":[{"name":"buyers","groups":[{"conditions":[{"type":"trait","field":"email","operator":"=","value":"a"}]}]}],"check":"b25bc0096fd14e9f9c3fa88006db48d0"}\n',
    );
    expect(await verifyStore(storage)).toMatchObject({ findings: [], notes: [] });
  });

  test("that is damaged is found, refused, and set aside on request", async () => {
    const { storage, bytes } = await stored();
    for (const damaged of [bytes.map((byte, at) => (at === 20 ? byte ^ 1 : byte)), bytes.subarray(0, 30), new TextEncoder().encode("{}")]) {
      await storage.write(SAVED_SEGMENTS_KEY, damaged);
      expect((await verifyStore(storage)).findings).toMatchObject([{ file: SAVED_SEGMENTS_KEY }]);
      await expect(open(storage)).rejects.toMatchObject({ code: "corruption" });
    }
    await using daybook = await open(storage, { onCorruption: "quarantine" });
    expect(await daybook.segments.list()).toEqual([]);
    expect((await daybook.stats()).quarantine).toMatchObject([{ key: SAVED_SEGMENTS_KEY, lost: [] }]);
    expect(await storage.read(`quarantine/${SAVED_SEGMENTS_KEY}`)).toEqual(new TextEncoder().encode("{}"));
    expect(await daybook.countEvents()).toBe(1);
    await daybook.segments.put("again", BUYERS);
    expect((await daybook.segments.list()).length).toBe(1);
  });
});
