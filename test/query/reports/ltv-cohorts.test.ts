import { describe, expect, test } from "vitest";
import type { Daybook, EventInput } from "daybook";
import { inEveryLayout } from "./layouts.js";

const seen = (userId: string | null, createdAt: string, rest: Partial<EventInput> = {}): EventInput => ({ name: "visit", userId, createdAt, ...rest });
const pay = (userId: string | null, value: number, createdAt: string, rest: Partial<EventInput> = {}): EventInput => ({ name: "payment", userId, value, createdAt, ...rest });

type Query = Partial<Parameters<Daybook["ltvCohorts"]>[0]>;
const cohortsOf = async (daybook: Daybook, query: Query = {}) =>
  (await daybook.ltvCohorts({ project: "default", level: "identity", ...query })).cohorts.map(({ cohort, entities, revenue, orders, ltv }) => [cohort, entities, revenue, orders, ltv]);

test("A month is that of the first event anywhere, its last millisecond and the next month's first told apart.", () =>
  inEveryLayout(
    [
      seen("ann", "2026-01-31T23:59:59.999Z", { project: "site" }),
      seen("ann", "2026-03-01T00:00:00Z"),
      seen("ben", "2026-02-01T00:00:00Z"),
      seen("only-site", "2026-01-01T00:00:00Z", { project: "site" }),
      pay("ann", 10, "2026-03-02T00:00:00Z"),
      pay("ann", 99, "2026-03-02T00:00:00Z", { project: "site" }),
    ],
    async (daybook, layout) => {
      expect([layout, await cohortsOf(daybook)]).toEqual([layout, [["2026-02", 1, 0, 0, 0], ["2026-01", 1, 10, 1, 10]]]);
      expect([layout, await cohortsOf(daybook, { project: "site" })]).toEqual([layout, [["2026-01", 2, 99, 1, 49.5]]]);
    },
  ));

test("An event that comes late moves its person to an earlier cohort, into this project or another.", () =>
  inEveryLayout([seen("ann", "2026-03-01T00:00:00Z"), pay("ann", 6, "2026-03-02T00:00:00Z"), seen("ben", "2026-03-01T00:00:00Z")], async (daybook) => {
    expect(await cohortsOf(daybook)).toEqual([["2026-03", 2, 6, 1, 3]]);
    await daybook.ingest([seen("ann", "2025-12-31T00:00:00Z", { project: "site" })]);
    expect(await cohortsOf(daybook)).toEqual([["2026-03", 1, 0, 0, 0], ["2025-12", 1, 6, 1, 6]]);
    await daybook.ingest([seen("ben", "2026-01-31T00:00:00Z"), seen("carl", "2026-01-01T00:00:00Z", { project: "site" })]);
    expect(await cohortsOf(daybook)).toEqual([["2026-01", 1, 0, 0, 0], ["2025-12", 1, 6, 1, 6]]);
  }));

test("Who turns out to be one person is one entity, of the earlier month; taken back, they are two again.", () =>
  inEveryLayout([seen(null, "2026-01-05T00:00:00Z", { anonymousId: "d" }), seen("ann", "2026-02-05T00:00:00Z"), pay("ann", 4, "2026-02-06T00:00:00Z")], async (daybook) => {
    const apart = [["2026-02", 1, 4, 1, 4], ["2026-01", 1, 0, 0, 0]];
    expect(await cohortsOf(daybook)).toEqual(apart);
    const { linkId } = await daybook.identify({ userId: "ann", anonymousId: "d" });
    expect(await cohortsOf(daybook)).toEqual([["2026-01", 1, 4, 1, 4]]);
    await daybook.unlink(linkId);
    expect(await cohortsOf(daybook)).toEqual(apart);
  }));

describe("level account", () => {
  const events = [
    seen("ann", "2026-01-10T00:00:00Z"),
    seen("ben", "2026-02-10T00:00:00Z"),
    pay("ben", 8, "2026-02-11T00:00:00Z"),
    pay("ben", 1, "2026-02-12T00:00:00Z", { companyId: "guest-inc" }),
    pay("loner", 3, "2026-03-01T00:00:00Z"),
    pay(null, 77, "2026-03-01T00:00:00Z", { companyId: "acme" }),
  ];

  test("counts companies, and people without one; money of nobody belongs to none", () =>
    inEveryLayout(
      events,
      async (daybook, layout) => {
        // Ben's events are of acme but for the one that names guest-inc, which is an association of his as well.
        expect([layout, await cohortsOf(daybook, { level: "account" })]).toEqual([layout, [["2026-03", 1, 3, 1, 3], ["2026-02", 1, 1, 1, 1], ["2026-01", 1, 8, 1, 8]]]);
        expect(await cohortsOf(daybook)).toEqual([["2026-03", 1, 3, 1, 3], ["2026-02", 1, 9, 2, 9], ["2026-01", 1, 0, 0, 0]]);
      },
      {
        prepare: async (daybook) => {
          await daybook.group({ companyId: "acme", userId: "ann", createdAt: "2026-01-01T00:00:00Z" });
          await daybook.group({ companyId: "acme", userId: "ben", createdAt: "2026-01-01T00:00:00Z" });
        },
      },
    ));

  test("An identity that changed its company is in each at its time", () =>
    inEveryLayout(
      [seen("ann", "2026-01-10T00:00:00Z"), pay("ann", 5, "2026-01-11T00:00:00Z"), pay("ann", 7, "2026-03-11T00:00:00Z"), pay("ann", 2, "2026-03-11T00:00:00Z")],
      async (daybook) => {
        expect(await cohortsOf(daybook, { level: "account" })).toEqual([["2026-03", 1, 9, 2, 9], ["2026-01", 1, 5, 1, 5]]);
      },
      {
        prepare: async (daybook) => {
          await daybook.group({ companyId: "acme", userId: "ann", createdAt: "2025-12-01T00:00:00Z" });
          await daybook.group({ companyId: "globex", userId: "ann", createdAt: "2026-02-01T00:00:00Z" });
        },
      },
    ));
});

test("The limit leaves the newest months; money without a rate is listed whatever the limit.", () =>
  inEveryLayout(
    [pay("a", 1, "2026-01-01T00:00:00Z", { currency: "JPY" }), pay("a", 1, "2026-01-02T00:00:00Z"), pay(null, 1, "2026-01-01T00:00:00Z", { currency: "SEK" }), seen("b", "2026-02-01T00:00:00Z"), seen("c", "2026-03-01T00:00:00Z")],
    async (daybook) => {
      const { cohorts, unconverted } = await daybook.ltvCohorts({ project: "default", level: "identity", limit: 2 });
      expect(cohorts.map(({ cohort }) => cohort)).toEqual(["2026-03", "2026-02"]);
      expect(unconverted).toEqual([{ currency: "JPY", revenue: 1, orders: 1 }]);
    },
  ));

test("One user under whom a server reports many companies and projects is counted right.", () =>
  inEveryLayout(
    Array.from({ length: 60 }, (_, at) => pay("server", 1, `2026-03-0${1 + (at % 3)}T00:00:00Z`, { companyId: `c${at % 20}`, project: at % 2 === 0 ? "default" : "site" })),
    async (daybook) => {
      expect(await cohortsOf(daybook, { level: "account" })).toEqual([["2026-03", 10, 30, 30, 3]]);
      expect(await cohortsOf(daybook)).toEqual([["2026-03", 1, 30, 30, 30]]);
    },
  ));
