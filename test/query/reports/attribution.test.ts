import { describe, expect, test } from "vitest";
import type { Daybook, EventInput } from "daybook";
import { DAY, NOW, inEveryLayout } from "./layouts.js";

const ago = (days: number, ms = 0) => NOW - days * DAY + ms;
const id = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
const visit = (userId: string, source: string, createdAt: number, rest: Partial<EventInput> = {}): EventInput => ({
  name: "visit", userId, createdAt, metadata: { utm_source: source }, ...rest,
});
const pay = (userId: string | null, value: number, createdAt: number, rest: Partial<EventInput> = {}): EventInput => ({
  name: "payment", userId, value, createdAt, ...rest,
});

type Query = Partial<Parameters<Daybook["revenueByAttribution"]>[0]>;
const rowsOf = async (daybook: Daybook, query: Query = {}) =>
  (await daybook.revenueByAttribution({ project: "default", level: "identity", ...query })).rows.map(({ dimension, revenue, orders }) => [dimension, revenue, orders]);

describe("touches and payments of one millisecond", () => {
  const at = ago(3);
  const events = [
    visit("ann", "third", at, { id: id(3) }),
    pay("ann", 1, at, { id: id(4) }),
    visit("ann", "second", at, { id: id(2) }),
    visit("ann", "fifth", at, { id: id(5) }),
    visit("ann", "first", at, { id: id(1) }),
  ];

  test("are in the order of their ids, in whichever segments they lie", () =>
    inEveryLayout(events, async (daybook, layout) => {
      expect([layout, await rowsOf(daybook)]).toEqual([layout, [["first", 1, 1]]]);
      expect([layout, await rowsOf(daybook, { model: "last_touch" })]).toEqual([layout, [["third", 1, 1]]]);
    }));

  test("of several ids of one person, too", () =>
    inEveryLayout(
      [visit("ann", "late", at, { id: id(2) }), { name: "visit", anonymousId: "d", createdAt: at, id: id(1), metadata: { utm_source: "early" } }, pay("ann", 1, at, { id: id(3) })],
      async (daybook) => {
        expect(await rowsOf(daybook)).toEqual([["early", 1, 1]]);
        expect(await rowsOf(daybook, { model: "last_touch" })).toEqual([["late", 1, 1]]);
      },
      { prepare: async (daybook) => void (await daybook.identify({ userId: "ann", anonymousId: "d", createdAt: ago(10) })) },
    ));
});

describe("duplicates of an order", () => {
  test("count once, where the smaller id is, in whichever segments they lie", () =>
    inEveryLayout(
      [3, 1, 2].map((number) => pay("ann", number, ago(2), { id: id(number), externalId: "A" })),
      async (daybook, layout) => expect([layout, await rowsOf(daybook)]).toEqual([layout, [["(direct)", 1, 1]]]),
    ));

  test("that come late take the place of sealed ones, before any window", () =>
    inEveryLayout([pay("ann", 1, ago(2), { externalId: "A" }), pay("ben", 5, ago(2), { externalId: "A" }), pay("ann", 9, ago(40), { externalId: "A" })], async (daybook) => {
      expect(await rowsOf(daybook)).toEqual([]);
      expect(await rowsOf(daybook, { startDate: "2025-01-01" })).toEqual([["(direct)", 9, 1]]);
    }));
});

describe("refunds", () => {
  const events = [
    visit("ann", "ad", ago(9)),
    pay("ann", 10, ago(8), { externalId: "A" }),
    visit("ann", "mail", ago(7)),
    visit("eve", "other", ago(7)),
    { name: "refund", userId: "eve", value: 4, externalId: "A", createdAt: ago(6) },
    { name: "refund", value: 1, metadata: { order_id: "A" }, externalId: null, createdAt: ago(5) },
    { name: "refund", userId: "eve", value: 2, externalId: "B", createdAt: ago(4) },
    { name: "refund", userId: "eve", value: 3, createdAt: ago(4) },
    pay("eve", 50, ago(60), { externalId: "C" }),
    { name: "refund", userId: "eve", value: 5, externalId: "C", createdAt: ago(3) },
  ];

  test("go where their order went, whoever sent them and whenever it was; others by their own touch", () =>
    inEveryLayout(events, async (daybook) => {
      // Of A 4 and 1 are given back.
      expect(await rowsOf(daybook, { model: "last_touch" })).toEqual([["ad", 5, 1], ["(direct)", -5, 0], ["other", -5, 0]]);
    }));
});

describe("refunds with an id of their own", () => {
  const refund = (number: number, value: number, createdAt: number) => ({
    id: id(number), name: "refund", userId: "ann", value, externalId: "A", createdAt, metadata: { refund_id: "r1" },
  });

  test("that share it and their millisecond count once, where the smaller event id is", () =>
    inEveryLayout([pay("ann", 10, ago(3), { externalId: "A" }), refund(3, 1, ago(1)), refund(1, 2, ago(1)), refund(2, 4, ago(1))], async (daybook, layout) => {
      expect([layout, await rowsOf(daybook)]).toEqual([layout, [["(direct)", 8, 1]]]);
    }));

  test("that come late take the place of sealed ones, before any window", () =>
    inEveryLayout([pay("ann", 10, ago(50), { externalId: "A" }), refund(1, 1, ago(2)), refund(2, 2, ago(40))], async (daybook) => {
      expect(await rowsOf(daybook)).toEqual([]);
      expect(await rowsOf(daybook, { startDate: "2025-01-01" })).toEqual([["(direct)", 8, 1]]);
    }));
});

describe("level account", () => {
  const events = [
    visit("boss", "fair", ago(20)),
    visit("ann", "blog", ago(10)),
    visit("mover", "before", ago(9)),
    visit("nobody-special", "far", ago(30)),
    { name: "visit", companyId: "acme", createdAt: ago(25), metadata: { utm_source: "stamped" } },
    pay("ann", 10, ago(2)),
    pay("mover", 5, ago(1)),
    pay("loner", 3, ago(1)),
    pay(null, 2, ago(1), { companyId: "acme" }),
  ];
  const prepare = async (daybook: Daybook) => {
    await daybook.group({ companyId: "acme", userId: "boss", createdAt: ago(15) });
    await daybook.group({ companyId: "acme", userId: "ann", createdAt: ago(15) });
    await daybook.group({ companyId: "globex", userId: "mover", createdAt: ago(15) });
    await daybook.group({ companyId: "acme", userId: "mover", createdAt: ago(5) });
  };

  test("takes the touches of the company at their own times, nobody's stamped ones too; without a company the person's", () =>
    inEveryLayout(
      events,
      async (daybook) => {
        expect(await rowsOf(daybook, { level: "account" })).toEqual([["stamped", 15, 2], ["(direct)", 5, 2]]);
        // What `mover` saw before the change belongs to the company of that time.
        expect(await rowsOf(daybook, { level: "account", model: "last_touch" })).toEqual([["blog", 15, 2], ["(direct)", 5, 2]]);
        expect(await rowsOf(daybook)).toEqual([["blog", 10, 1], ["(direct)", 5, 2], ["before", 5, 1]]);
      },
      { prepare },
    ));
});

describe("touches that come after a query was answered", () => {
  const payments = [pay("ann", 1, ago(3)), pay("ben", 2, ago(3)), { ...visit("ben", "kept", ago(4)) }];

  test("count for the person and for the company, whatever was said before", () =>
    inEveryLayout(
      payments,
      async (daybook) => {
        expect(await rowsOf(daybook)).toEqual([["kept", 2, 1], ["(direct)", 1, 1]]);
        expect(await rowsOf(daybook, { level: "account" })).toEqual([["kept", 2, 1], ["(direct)", 1, 1]]);
        await daybook.ingest([visit("ann", "late", ago(5)), visit("colleague", "team", ago(6)), visit("ann", "too late", ago(2))]);
        expect(await rowsOf(daybook)).toEqual([["kept", 2, 1], ["late", 1, 1]]);
        expect(await rowsOf(daybook, { level: "account" })).toEqual([["kept", 2, 1], ["team", 1, 1]]);
        expect(await rowsOf(daybook, { level: "account", model: "last_touch" })).toEqual([["kept", 2, 1], ["late", 1, 1]]);
      },
      {
        prepare: async (daybook) => {
          for (const userId of ["ann", "colleague"]) await daybook.group({ companyId: "acme", userId, createdAt: ago(60) });
        },
      },
    ));
});

test("A touch that names a company belongs to it, whatever company the person is of.", () =>
  inEveryLayout(
    [visit("ann", "guest", ago(5), { companyId: "globex" }), pay("boss", 1, ago(3)), pay("peer", 2, ago(3))],
    async (daybook) => {
      expect(await rowsOf(daybook, { level: "account" })).toEqual([["(direct)", 2, 1], ["guest", 1, 1]]);
    },
    {
      prepare: async (daybook) => {
        for (const userId of ["ann", "peer"]) await daybook.group({ companyId: "acme", userId, createdAt: ago(60) });
        await daybook.group({ companyId: "globex", userId: "boss", createdAt: ago(60) });
      },
    },
  ));

test("A look-back holds the touch of its very millisecond, by either model.", () =>
  inEveryLayout(
    [visit("ann", "old", ago(3)), pay("ann", 1, ago(1)), visit("ben", "older", ago(3, -1)), pay("ben", 2, ago(1))],
    async (daybook) => {
      for (const model of ["first_touch", "last_touch"] as const)
        expect(await rowsOf(daybook, { model })).toEqual([["(direct)", 2, 1], ["old", 1, 1]]);
    },
    { attribution: { lookbackMs: 2 * DAY } },
  ));

test("Rows come by revenue, then orders, then name by code point, and the limit leaves out the last.", () =>
  inEveryLayout(
    ["\u{1F600}", "\uFF5E", "b", "a"].flatMap((source, at) => [visit(`u${at}`, source, ago(5)), pay(`u${at}`, 2, ago(4))]).concat([
      visit("v", "c", ago(5)), pay("v", 1, ago(4)), pay("v", 1, ago(3)), visit("w", "d", ago(5)), pay("w", 3, ago(4)),
    ]),
    async (daybook) => {
      const names = ["d", "c", "a", "b", "\uFF5E", "\u{1F600}"];
      expect((await rowsOf(daybook)).map(([name]) => name)).toEqual(names);
      expect((await rowsOf(daybook, { limit: 3 })).map(([name]) => name)).toEqual(names.slice(0, 3));
    },
  ));

test("Payments of other projects are no conversions, but what was seen there brought people.", () =>
  inEveryLayout([visit("ann", "ad", ago(3), { project: "site" }), pay("ann", 1, ago(2)), pay("ann", 7, ago(2), { project: "site" })], async (daybook) => {
    expect(await rowsOf(daybook)).toEqual([["ad", 1, 1]]);
  }));

test("The window holds both of its ends.", () =>
  inEveryLayout([pay("ann", 1, ago(30)), pay("ann", 2, NOW), pay("ann", 4, ago(30) - 1)], async (daybook) => {
    expect(await rowsOf(daybook)).toEqual([["(direct)", 3, 2]]);
  }));
