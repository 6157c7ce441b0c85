import { describe, expect, test } from "vitest";
import { fixedClock, memoryStorage, openDaybook, type Daybook, type Storage } from "daybook";
import { decodeManifest } from "../../src/store/files/manifest.js";

const NOW = Date.UTC(2026, 2, 31, 12);
const at = (minute: number) => NOW - 86_400_000 + minute * 60_000;
const open = (storage: Storage = memoryStorage()) => openDaybook({ storage, clock: fixedClock(NOW) });

const companyIs = (value: string) => ({ filterGroups: [{ filters: [{ fieldName: "company_id", operator: "=", value }] }] });
const identityIs = async (daybook: Daybook, userId: string) => {
  const { identityId } = await daybook.identityProfile({ userId });
  return { filterGroups: [{ filters: [{ fieldName: "identity_id", operator: "=", value: identityId }] }] };
};

describe("records about identities", () => {
  test("change the answers about events that came before, stay after opening again, and can be taken back.", async () => {
    const storage = memoryStorage();
    const daybook = await open(storage);
    await daybook.ingest([
      { id: "1", name: "visit", anonymousId: "device", createdAt: at(0) },
      { id: "2", name: "visit", userId: "ann", createdAt: at(1) },
      { id: "3", name: "visit", userId: "old-ann", createdAt: at(2) },
    ]);
    expect(await daybook.countUniqueUsers()).toBe(3);
    const { linkId } = await daybook.identify({ userId: "ann", anonymousId: "device", createdAt: at(3) });
    expect(await daybook.countUniqueUsers()).toBe(2);
    await daybook.seal();
    const alias = await daybook.alias({ from: "old-ann", to: "ann", createdAt: at(4) });
    expect(await daybook.countUniqueUsers()).toBe(1);
    expect(await daybook.countEvents({ userId: "old-ann" })).toBe(3);
    expect(await daybook.countEvents(await identityIs(daybook, "device"))).toBe(3);
    await daybook.close();
    const again = await open(storage);
    expect(await again.countUniqueUsers()).toBe(1);
    await again.unlink(linkId);
    await again.unlink(alias.linkId);
    expect(await again.countUniqueUsers()).toBe(3);
    await again.close();
    expect(await (await open(storage)).countUniqueUsers()).toBe(3);
  });

  test("of one id count once, also when they come together and again after opening.", async () => {
    const storage = memoryStorage();
    const daybook = await open(storage);
    await Promise.all([daybook.identify({ id: "a", userId: "ann", email: "a@b.c" }), daybook.identify({ id: "a", userId: "bob", email: "b@b.c" })]);
    await daybook.close();
    const again = await open(storage);
    await again.identify({ id: "a", userId: "carl", email: "c@b.c" });
    await expect(again.identityProfile({ email: "b@b.c" })).rejects.toMatchObject({ code: "identity_not_found" });
    await expect(again.identityProfile({ email: "c@b.c" })).rejects.toMatchObject({ code: "identity_not_found" });
    expect(await again.identityProfile({ email: " A@B.C " })).toMatchObject({ events: 0, firstSeen: null });
  });

  test("An id that only a record named is unknown once it is taken back, also after seals and an opening; one that an event bears is not.", async () => {
    const storage = memoryStorage();
    const daybook = await open(storage);
    const records = [await daybook.identify({ userId: "ghost", createdAt: at(0) }), await daybook.identify({ userId: "ann", createdAt: at(0) })];
    await daybook.seal();
    await daybook.ingest([{ name: "visit", userId: "ann", createdAt: at(1) }]);
    await daybook.close();
    const again = await open(storage);
    for (const { linkId } of records) await again.unlink(linkId);
    await expect(again.identityProfile({ userId: "ghost" })).rejects.toMatchObject({ code: "identity_not_found" });
    expect(await again.identityProfile({ userId: "ann" })).toMatchObject({ events: 1 });
  });

  test("Files of records are few, however many seals there were.", async () => {
    const storage = memoryStorage();
    const daybook = await open(storage);
    for (let index = 0; index < 30; index += 1) {
      await daybook.identify({ userId: `user ${index}`, email: `${index}@b.c`, createdAt: at(index) });
      await daybook.seal();
    }
    expect(decodeManifest((await storage.read("MANIFEST")) ?? new Uint8Array()).identities.length).toBeLessThan(10);
    await daybook.close();
    const again = await open(storage);
    for (const index of [0, 13, 29]) expect(await again.identityProfile({ email: `${index}@b.c` })).toMatchObject({ events: 0 });
  });

  test.each([
    ["identify", {}, "invalid_parameter", "userId"],
    ["identify", { userId: "a", emial: "x" }, "unknown_parameter", "emial"],
    ["identify", { userId: true }, "invalid_parameter", "userId"],
    ["identify", { userId: "\ud800" }, "invalid_parameter", "userId"],
    ["identify", { userId: "a", traits: { when: Number.NaN } }, "invalid_parameter", "traits.when"],
    ["identify", { userId: "a", createdAt: "yesterday" }, "invalid_parameter", "createdAt"],
    ["identify", { userId: "a", id: 7 }, "invalid_parameter", "id"],
    ["group", { userId: "a" }, "invalid_parameter", "companyId"],
    ["group", { companyId: "acme" }, "invalid_parameter", "userId"],
    ["alias", { from: "a" }, "invalid_parameter", "to"],
    ["alias", { from: "", to: "b" }, "invalid_parameter", "from"],
    ["alias", null, "invalid_parameter", "input"],
  ] as const)("%s(%j) is refused with %s about %s, and nothing is stored.", async (method, input, code, param) => {
    const daybook = await open();
    await expect(daybook[method](input as never)).rejects.toMatchObject({ code, details: { param } });
    await expect(daybook.identityProfile({ userId: "a" })).rejects.toMatchObject({ code: "identity_not_found" });
  });

  test.each(["nothing", "", "0190c7a0-1234-7abc-8def-0123456789ab", 5])("unlink(%j) is refused: no record has it.", async (linkId) => {
    await expect((await open()).unlink(linkId as string)).rejects.toMatchObject({ code: "invalid_parameter", details: { param: "linkId" } });
  });
});

describe("companies of events", () => {
  test("An event's own company wins, else that of its identity at the time; the first reaches back.", async () => {
    const daybook = await open();
    await daybook.ingest([
      { id: "1", name: "visit", anonymousId: "device", createdAt: at(0) },
      { id: "2", name: "visit", userId: "ann", anonymousId: "device", createdAt: at(10) },
      { id: "3", name: "visit", userId: "ann", createdAt: at(30) },
      { id: "4", name: "visit", userId: "ann", createdAt: at(31), companyId: "other" },
      { id: "5", name: "visit", userId: "ann", createdAt: at(40) },
      { id: "6", name: "visit", userId: "nobody", createdAt: at(40) },
    ]);
    expect(await daybook.countEvents(companyIs("other"))).toBe(5);
    const { linkId } = await daybook.group({ companyId: "acme", userId: "ann", createdAt: at(20) });
    expect([await daybook.countEvents(companyIs("acme")), await daybook.countEvents(companyIs("other")), await daybook.countEvents(companyIs(""))]).toEqual([3, 2, 1]);
    await daybook.unlink(linkId);
    expect(await daybook.countEvents(companyIs("acme"))).toBe(0);
  });
});
