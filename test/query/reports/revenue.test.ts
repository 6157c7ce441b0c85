import { describe, expect, test } from "vitest";
import { fixedClock, memoryStorage, openDaybook, type Daybook, type DaybookOptions, type EventInput } from "daybook";

const NOW = Date.UTC(2026, 2, 31, 12);
const DAY = 86_400_000;
/** Days before now. */
const ago = (days: number, ms = 0) => NOW - days * DAY + ms;

async function shop(events: readonly EventInput[], options: Partial<DaybookOptions> = {}, sealedCount = 0): Promise<Daybook> {
  const daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW), ...options });
  await daybook.ingest(events.slice(0, sealedCount));
  if (sealedCount > 0) await daybook.seal();
  await daybook.ingest(events.slice(sealedCount));
  return daybook;
}

const project = "default";
const total = async (daybook: Daybook) => {
  const { rows, unconverted } = await daybook.revenueByAttribution({ project, startDate: "1970-01-01" });
  return { revenue: rows.map(({ revenue }) => revenue), orders: rows.map(({ orders }) => orders), unconverted };
};

describe("what is revenue", () => {
  test.each<[string, EventInput, number[]]>([
    ["a value", { name: "anything", value: 9.99 }, [9.99]],
    ["a value of a refund, whatever its sign", { name: "Refund", value: 5 }, [-5]],
    ["the metadata of a payment, revenue first", { name: "Order Completed", metadata: { amount: 1, value: 2, revenue: 3 } }, [3]],
    ["then value", { name: "purchase", metadata: { amount: 1, value: 2, revenue: "3" } }, [2]],
    ["then amount", { name: "PAYMENT", metadata: { amount: 1 } }, [1]],
    ["metadata.revenue of any event", { name: "upgrade", metadata: { revenue: 7 } }, [7]],
    ["no amount of another event", { name: "upgrade", metadata: { amount: 7, value: 7 } }, []],
    ["no number in quotes", { name: "payment", metadata: { revenue: "7" } }, []],
    ["no nested key", { name: "payment", metadata: { order: { revenue: 7 } } }, []],
  ])("%s", async (_, event, revenue) => {
    expect((await total(await shop([event]))).revenue).toEqual(revenue);
  });

  test("Amounts add up exactly where doubles do not, and are rounded once, half to even.", async () => {
    const tenths = Array.from({ length: 30 }, () => ({ name: "payment", value: 0.1 }));
    expect((await total(await shop(tenths))).revenue).toEqual([3]);
    expect((await total(await shop([{ name: "a", value: 0.125 }]))).revenue).toEqual([0.12]);
    expect((await total(await shop([{ name: "a", value: 0.135 }]))).revenue).toEqual([0.14]);
    expect((await total(await shop([{ name: "a", value: 0.005 }, { name: "a", value: 0.005 }, { name: "a", value: 0.005 }]))).revenue).toEqual([0.02]);
    expect((await total(await shop([{ name: "a", value: 1e21 }, { name: "a", value: 0.01 }]))).revenue).toEqual([1e21]);
  });

  test("Of one order key the earliest payment counts once, all refunds count, other projects apart, whoever sent them and wherever they lie.", async () => {
    const events: EventInput[] = [
      { name: "payment", value: 10, externalId: "A", userId: "u2", createdAt: ago(1) },
      { name: "payment", value: 20, metadata: { order_id: "A" }, userId: "u1", createdAt: ago(2) },
      { name: "refund", value: 3, metadata: { transaction_id: "A" }, createdAt: ago(1) },
      { name: "refund", value: 4, externalId: "A", createdAt: ago(0) },
      { name: "payment", value: 100, externalId: "A", project: "other", createdAt: ago(3) },
      { name: "payment", value: 1, metadata: { order_id: 7 }, createdAt: ago(3) },
      { name: "payment", value: 2, metadata: { order_id: 7 }, createdAt: ago(3, 1) },
    ];
    for (const sealedCount of [0, 1, 3, events.length]) {
      const daybook = await shop(events, {}, sealedCount);
      expect(await total(daybook)).toMatchObject({ revenue: [14], orders: [2] });
      expect((await daybook.revenueByAttribution({ project, startDate: new Date(ago(1)) })).rows).toEqual([{ dimension: "(direct)", revenue: -7, orders: 0 }]);
    }
  });

  test("A refund counts once by project, order key and metadata.refund_id, the earliest first; without such an id each counts.", async () => {
    const refund = (value: number, order: string | null, refundId: unknown, rest: Partial<EventInput> = {}): EventInput => ({
      name: "refund", value, externalId: order, createdAt: ago(1), ...rest, metadata: { refund_id: refundId } as NonNullable<EventInput["metadata"]>,
    });
    const events: EventInput[] = [
      { name: "payment", value: 1_000, externalId: "A", createdAt: ago(3) },
      // Three times the same refund: the earliest counts. A number and its text are the same id.
      refund(1, "A", 7, { createdAt: ago(1) }),
      refund(2, "A", "7", { createdAt: ago(2) }),
      refund(4, null, "7", { createdAt: ago(1), name: "payment", value: -4, externalId: "A" }),
      // Others: another id, another order, no order (twice the same), and no id.
      refund(8, "A", "8"),
      refund(16, "B", "7"),
      refund(32, null, "7"),
      refund(32, null, 7),
      refund(64, "A", ""),
      refund(64, "A", null),
      refund(64, "A", true),
      refund(64, "A", [7]),
      // Of another project.
      refund(500, "A", "7", { project: "other" }),
      // The refund id of a payment says nothing.
      { name: "payment", value: 9_000, externalId: "A", createdAt: ago(2), metadata: { refund_id: "8" } },
    ];
    for (const sealedCount of [0, 2, 3, events.length])
      expect(await total(await shop(events, {}, sealedCount))).toMatchObject({ revenue: [1_000 - 2 - 8 - 16 - 32 - 4 * 64], orders: [1] });
  });

  test("A refund of 0 does not take the place of the payment of its order, whichever comes first.", async () => {
    const events: EventInput[] = [
      { name: "refund", value: 0, externalId: "A", createdAt: ago(3) },
      { name: "payment", value: 10, externalId: "A", createdAt: ago(2) },
      { name: "Order Refunded", metadata: { order_id: "A", amount: 0 }, createdAt: ago(1) },
    ];
    for (const sealedCount of [0, 1, events.length])
      expect(await total(await shop(events, {}, sealedCount))).toMatchObject({ revenue: [10], orders: [1] });
  });

  test("Other currencies are converted by the rate of their day; without one they are listed, never added.", async () => {
    const events: EventInput[] = [
      { name: "payment", value: 1, currency: "eur", createdAt: "2026-03-01T00:00:00Z" },
      { name: "payment", value: 1, metadata: { currency: " Eur " }, createdAt: "2026-03-02T00:00:00Z" },
      { name: "payment", value: 7, currency: "JPY" },
      { name: "refund", value: 2, currency: "JPY" },
      { name: "payment", value: 5, currency: "points" },
      { name: "payment", value: 3 },
    ];
    const asked: string[] = [];
    const daybook = await shop(events, {
      rates: (from, to, day) => {
        asked.push(`${from} ${to} ${day}`);
        return from === "EUR" ? (day === "2026-03-01" ? 1.1 : 1.234567) : undefined;
      },
    });
    expect(await total(daybook)).toEqual({
      revenue: [5.33],
      orders: [3],
      unconverted: [
        { currency: "JPY", revenue: 5, orders: 1 },
        { currency: "points", revenue: 5, orders: 1 },
      ],
    });
    expect(asked).toContain("EUR USD 2026-03-02");
    await expect(total(await shop(events, { rates: () => 0 }))).rejects.toMatchObject({ code: "invalid_parameter", details: { param: "rates" } });
  });
});

describe("who brought the payer", () => {
  const journey: EventInput[] = [
    { name: "visit", anonymousId: "d", createdAt: ago(9), url: "/?utm_source=News+Letter&utm_medium=email", hostname: "shop.example" },
    { name: "visit", anonymousId: "d", createdAt: ago(8), referrer: "https://www.google.co.uk/search", hostname: "shop.example" },
    { name: "signup", userId: "ann", anonymousId: "d", createdAt: ago(7), referrer: "https://www.shop.example/", hostname: "shop.example" },
    { name: "visit", userId: "ann", createdAt: ago(6), metadata: { gclid: "x" } },
    { name: "payment", userId: "ann", value: 10, externalId: "1", createdAt: ago(5) },
    { name: "visit", userId: "ann", createdAt: ago(4), metadata: { utm_campaign: "Spring " } },
    { name: "visit", userId: "ann", createdAt: ago(3), referrer: "https://checkout.stripe.com/pay", hostname: "shop.example" },
    { name: "refund", userId: "ann", value: 4, externalId: "1", createdAt: ago(2) },
    { name: "payment", userId: "ben", value: 1, createdAt: ago(1) },
  ];
  const rows = async (daybook: Daybook, query: object) =>
    (await daybook.revenueByAttribution({ project, ...query })).rows.map(({ dimension, revenue, orders }) => [dimension, revenue, orders]);

  test("First and last touch, in every dimension; a refund goes where its order went.", async () => {
    for (const sealedCount of [0, 4, 9]) {
      const daybook = await shop(journey, {}, sealedCount);
      expect(await rows(daybook, {})).toEqual([["News Letter", 6, 1], ["(direct)", 1, 1]]);
      expect(await rows(daybook, { dimension: "medium" })).toEqual([["email", 6, 1], ["(none)", 1, 1]]);
      expect(await rows(daybook, { dimension: "campaign" })).toEqual([["(not set)", 6, 1], ["(none)", 1, 1]]);
      expect(await rows(daybook, { model: "last_touch" })).toEqual([["google", 6, 1], ["(direct)", 1, 1]]);
      expect(await rows(daybook, { model: "last_touch", dimension: "medium", startDate: new Date(ago(3)) })).toEqual([["(none)", 1, 1], ["cpc", -4, 0]]);
    }
  });

  test("A look-back leaves older touches out.", async () => {
    const daybook = await shop(journey, { attribution: { lookbackMs: 3 * DAY } });
    expect(await rows(daybook, {})).toEqual([["google.co.uk", 6, 1], ["(direct)", 1, 1]]);
  });

  test("Level account looks at all touches of the payment's company.", async () => {
    const daybook = await shop(journey);
    await daybook.ingest([{ name: "visit", userId: "boss", createdAt: ago(20), metadata: { utm_source: "fair" } }]);
    await daybook.group({ companyId: "acme", userId: "boss", createdAt: ago(1) });
    await daybook.group({ companyId: "acme", userId: "ben", createdAt: ago(1) });
    expect(await rows(daybook, {})).toEqual([["News Letter", 6, 1], ["fair", 1, 1]]);
    expect(await rows(daybook, { level: "identity" })).toEqual([["News Letter", 6, 1], ["(direct)", 1, 1]]);
  });
});

describe("lifetime value", () => {
  test("Cohorts by first month, those who never paid included; at level account a company is one entity.", async () => {
    const daybook = await shop([
      { name: "visit", userId: "ann", createdAt: "2026-01-31T23:59:59.999Z" },
      { name: "payment", userId: "ann", value: 10, createdAt: "2026-03-01T00:00:00Z" },
      { name: "visit", userId: "ben", createdAt: "2026-02-01T00:00:00Z" },
      { name: "payment", userId: "carl", value: 5, createdAt: "2026-02-03T00:00:00Z" },
      { name: "refund", userId: "carl", value: 2, createdAt: "2026-03-03T00:00:00Z" },
      { name: "payment", value: 99, createdAt: "2026-02-03T00:00:00Z" },
      { name: "visit", userId: "dora", project: "other", createdAt: "2026-01-01T00:00:00Z" },
    ]);
    expect(await daybook.ltvCohorts({ project, level: "identity" })).toEqual({
      currency: "USD",
      cohorts: [
        { cohort: "2026-02", entities: 2, revenue: 3, orders: 1, ltv: 1.5 },
        { cohort: "2026-01", entities: 1, revenue: 10, orders: 1, ltv: 10 },
      ],
      unconverted: [],
    });
    await daybook.group({ companyId: "acme", userId: "ann" });
    await daybook.group({ companyId: "acme", userId: "carl" });
    expect((await daybook.ltvCohorts({ project })).cohorts).toEqual([
      { cohort: "2026-02", entities: 1, revenue: 0, orders: 0, ltv: 0 },
      { cohort: "2026-01", entities: 1, revenue: 13, orders: 2, ltv: 13 },
    ]);
    expect((await daybook.ltvCohorts({ project, limit: 1 })).cohorts).toHaveLength(1);
    await expect(daybook.ltvCohorts({ project: "nowhere" })).rejects.toMatchObject({ code: "project_not_found" });
  });
});
