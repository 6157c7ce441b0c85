import { memoryStorage, openDaybook, type IdentifyInput } from "daybook";
import { describe, expect, it } from "vitest";
import { TraitKey } from "../../../src/query/filter/value-test.js";

type Told = readonly [ms: number, traits: object];

/** The trait `k` of somebody of whom this was told, in order of the ids of records. */
function valueOf(...records: readonly Told[]): unknown {
  const told = records.map(([ms, traits]) => ({ ms, traits: JSON.stringify(traits) }));
  return new TraitKey("k").newest(told.sort((a, b) => a.ms - b.ms));
}

const once = (k: unknown) => ({ $set_once: { k } });

describe("a trait that is set once", () => {
  it("is the first that says something", () => {
    expect(valueOf([1, once("a")], [2, once("b")])).toBe("a");
    expect(valueOf([1, once(null)], [2, once("")], [3, once([""])], [4, once("b")], [5, once("c")])).toBe("b");
    expect(valueOf([1, once(null)], [2, once("")])).toBeUndefined();
  });

  it("is the first by order where several are told in one millisecond, whatever they say", () => {
    expect(valueOf([1, once("a")], [1, once("b")])).toBe("a");
    expect(valueOf([1, once("b")], [1, once("a")])).toBe("b");
  });

  it("gives way to what is set, before it or behind", () => {
    expect(valueOf([1, { k: "set" }], [2, once("b")])).toBe("set");
    expect(valueOf([1, once("b")], [2, { k: "set" }])).toBe("set");
    expect(valueOf([1, { ...once("b"), k: "set" }])).toBe("set");
  });

  it("counts behind what unset the trait, and not before", () => {
    expect(valueOf([1, { k: "set" }], [2, { k: null }], [3, once("b")], [4, once("c")])).toBe("b");
    expect(valueOf([1, once("b")], [2, { k: null }])).toBeNull();
    expect(valueOf([1, { ...once("b"), k: null }])).toBeNull();
    expect(valueOf([1, { k: "" }], [2, once("b")])).toBe("b");
  });
});

describe("a trait that is changed", () => {
  it("by $add is the sum, from 0 on, and stays what it is where that is no number", () => {
    expect(valueOf([1, { $add: { k: 2 } }], [2, { $add: { k: -5 } }])).toBe(-3);
    expect(valueOf([1, { k: 40 }], [2, { $add: { k: 2 } }])).toBe(42);
    expect(valueOf([1, { $add: { k: 2 } }], [2, { k: 1 }], [3, { k: null }], [4, { $add: { k: 7 } }])).toBe(7);
    expect(valueOf([1, { k: "many" }], [2, { $add: { k: 2 } }])).toBe("many");
    expect(valueOf([1, { k: 4 }], [2, { $add: { k: "2" } }])).toBe(4);
    expect(valueOf([1, { k: 1e308 }], [2, { $add: { k: 1e308 } }])).toBe(1e308);
  });

  it("by $append and $union is a list, in which a union has each once", () => {
    expect(valueOf([1, { $append: { k: "a" } }], [2, { $append: { k: ["a", "b"] } }])).toEqual(["a", "a", "b"]);
    expect(valueOf([1, { $union: { k: ["a", "a"] } }], [2, { $union: { k: ["b", "a", { x: 1, y: 2 }] } }], [3, { $union: { k: { y: 2, x: 1 } } }])).toEqual(["a", "b", { x: 1, y: 2 }]);
    expect(valueOf([1, { k: "a" }], [2, { $append: { k: "b" } }])).toEqual(["a", "b"]);
    expect(valueOf([1, { k: ["a"] }], [2, { $append: { k: [null, ""] } }])).toEqual(["a"]);
  });

  it("by $remove has no such items any more, and a trait that is no list stays", () => {
    expect(valueOf([1, { k: ["a", "b", "a"] }], [2, { $remove: { k: "a" } }])).toEqual(["b"]);
    expect(valueOf([1, { k: "a" }], [2, { $remove: { k: "a" } }])).toBe("a");
    expect(valueOf([1, { $remove: { k: "a" } }])).toBeUndefined();
    expect(valueOf([1, { k: ["a"] }], [2, { $remove: { k: ["a"] } }], [3, once("b")])).toBe("b");
  });
});

describe("changes of traits in the library", () => {
  const person = async (...told: readonly IdentifyInput[]) => {
    const daybook = await openDaybook({ storage: memoryStorage() });
    await daybook.ingest([{ name: "a", userId: "ann" }, { name: "a", userId: "old" }]);
    for (const each of told) await daybook.identify(each);
    return daybook;
  };
  const by = async (daybook: Awaited<ReturnType<typeof person>>, ...fields: string[]) =>
    (await daybook.trend({ interval: "total", breakdown: { fields: fields as never } })).series.map(({ values, total }) => [...values, total]);

  it("are those of all ids of a person, in the order of their times, filters and segments too", async () => {
    const daybook = await person(
      { userId: "ann", createdAt: "2026-01-02T00:00:00Z", traits: { $set_once: { source: "mail" }, $add: { visits: 1 } } },
      { userId: "old", createdAt: "2026-01-01T00:00:00Z", traits: { $set_once: { source: "news" }, $add: { visits: 2 } } },
    );
    await daybook.alias({ from: "old", to: "ann" });
    expect(await by(daybook, "person.source", "person.visits")).toEqual([["news", "3", 2]]);
    expect(await by(daybook, "person.$set_once")).toEqual([["", 2]]);
    expect(await daybook.countEvents({ filterGroups: [{ filters: [{ fieldName: "person.source", operator: "=", value: "news" }] }] })).toBe(2);
    const segments = { loyal: { groups: [{ conditions: [{ type: "trait", field: "visits", operator: ">", value: 2 }] }] } } as const;
    expect(await daybook.countEvents({ segments, filterGroups: [{ filters: [{ fieldName: "identity_id", operator: "in_segment", value: "loyal" }] }] } as never)).toBe(2);
    await daybook.close();
  });

  it("have no email, which is told and not set once", async () => {
    const daybook = await person();
    await expect(daybook.identify({ userId: "ann", traits: { $set_once: { email: "ann@shop.example" } } })).rejects.toThrow(
      "traits.$set_once.email: an email cannot be set once, as it counts from the time of its record: send it as `email`");
    await daybook.close();
  });

  it("call a company by the newest text, else by the first that is set once", async () => {
    const daybook = await openDaybook({ storage: memoryStorage() });
    await daybook.ingest([{ name: "a", userId: "ann", companyId: "acme" }, { name: "a", userId: "bob", companyId: "bolt" }]);
    for (const [day, traits] of [{ $set_once: { name: "" } }, { $set_once: { name: "First" } }, { $set_once: { name: "Second", domain: "acme.example" } }].entries())
      await daybook.group({ companyId: "acme", userId: "ann", createdAt: Date.UTC(2026, 0, 1 + day), traits });
    await daybook.group({ companyId: "bolt", userId: "bob", createdAt: Date.UTC(2026, 0, 1), traits: { name: "Bolt" } });
    await daybook.group({ companyId: "bolt", userId: "bob", createdAt: Date.UTC(2026, 0, 2), traits: { $set_once: { name: "Other" } } });
    expect((await daybook.topCompanies({})).companies.map(({ name, domain }) => [name, domain])).toEqual([["First", "acme.example"], ["Bolt", null]]);
    await daybook.close();
  });

  it("go with whoever was erased: an email in what others set once is cut out", async () => {
    const daybook = await person({ userId: "ann", email: "ann@shop.example" });
    await daybook.group({ companyId: "acme", userId: "old", traits: { $set_once: { email: "ann@shop.example", size: 7 } } });
    const { id } = await daybook.privacyRequests.create({ type: "erasure", subject: { userId: "ann" } });
    await daybook.privacyRequests.verify(id);
    await daybook.privacyRequests.acknowledge(id);
    await daybook.privacyRequests.resolve(id, "completed");
    const records: unknown[] = [];
    for await (const record of daybook.exportRecords()) records.push(record);
    expect(records).toMatchObject([{ type: "group", traits: { $set_once: { size: 7 } } }]);
    expect(JSON.stringify(records)).not.toContain("ann@shop.example");
    await daybook.close();
  });
});
