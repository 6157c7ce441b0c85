import type { EventInput, RevenueByAttributionInput } from "daybook";
import { oracle, type HistoryItem, type OracleOptions } from "../support/index.js";
import { describe, expect, test } from "vitest";

const nowMs = Date.parse("2026-03-10T00:00:00Z");
const dayMs = Date.parse("2026-03-01T00:00:00Z");
let serial = 0;
const event = (second: number, rest: Partial<EventInput> = {}): EventInput => ({
  id: `00000000-0000-4000-8000-${String((serial += 1)).padStart(12, "0")}`, name: "click", userId: "ann", project: "shop", createdAt: dayMs + second * 1_000, ...rest,
});
const paid = (second: number, value: number | null, rest: Partial<EventInput> = {}) => event(second, { name: "Payment", value, ...rest });
const split = (history: readonly HistoryItem[], options: Partial<OracleOptions> = {}, input: Partial<RevenueByAttributionInput> = {}) =>
  oracle(history, { nowMs, ...options }).revenueByAttribution({ project: "shop", ...input });
const rows = (...args: Parameters<typeof split>) => split(...args).rows.map(({ dimension, revenue, orders }) => [dimension, revenue, orders]);
const net = (history: readonly HistoryItem[], options: Partial<OracleOptions> = {}) => rows(history, options)[0]?.slice(1) ?? null;

describe("money", () => {
  test("An amount is the value, else of a payment's name the first number of three, else a number called revenue.", () => {
    expect(net([paid(0, 5, { metadata: { revenue: 9 } })])).toEqual([5, 1]);
    expect(net([paid(0, null, { metadata: { revenue: "9", value: 4, amount: 3 } })])).toEqual([4, 1]);
    expect(net([paid(0, null, { metadata: { value: null, amount: 3 } })])).toEqual([3, 1]);
    expect(net([event(0, { metadata: { revenue: 9 } })])).toEqual([9, 1]);
    expect(net([event(0, { value: 2 })])).toEqual([2, 1]);
    expect(net([event(0, { metadata: { amount: 9 } })])).toBeNull();
    expect(net([event(0, { name: "x", slug: "order-completed", metadata: { amount: 9 } })])).toEqual([9, 1]);
  });

  test("A refund is negative by its name or by its sign, and adds no order.", () => {
    expect(net([paid(0, 10), event(1, { name: "Refund", value: 4 }), event(2, { name: "Order refunded", value: -1 }), paid(3, -2)])).toEqual([3, 1]);
  });

  test("Of one project and order key only the earliest payment counts, before any window.", () => {
    const history = [paid(5, 10, { externalId: "o" }), paid(4, 20, { metadata: { order_id: "o" } }), event(6, { name: "Refund", value: 1, metadata: { transaction_id: "o" } })];
    expect(net(history)).toEqual([19, 1]);
    expect(rows(history, {}, { startDate: new Date(dayMs + 5_000) })).toEqual([["(direct)", -1, 0]]);
    expect(rows([...history, paid(0, 30, { externalId: "o", project: "blog" })])).toEqual([["(direct)", 19, 1]]);
    expect(net([paid(0, 1, { metadata: { order_id: 7 } }), paid(1, 2, { metadata: { order_id: true, transaction_id: "7" } })])).toEqual([1, 1]);
    expect(net([paid(0, 1, { metadata: { order_id: "a", transaction_id: "o" } }), paid(1, 2, { metadata: { order_id: "b", transaction_id: "o" } })])).toEqual([3, 2]);
  });

  test("Refunds all count, but those of one project, order key and refund id once, the earliest.", () => {
    const refund = (second: number, value: number, externalId: string | null, refundId: unknown, rest = {}) =>
      event(second, { name: "Refund", value, externalId, metadata: { refund_id: refundId }, ...rest });
    expect(net([paid(0, 10, { externalId: "o" }), refund(1, 3, "o", null), refund(2, 4, "o", "")])).toEqual([3, 1]);
    expect(net([refund(1, 1, "o", 7), refund(0, 2, "o", "7"), refund(3, 4, "o", "8"), refund(4, 8, "p", "7"), refund(5, 16, null, 7), refund(6, 32, null, "7")])).toEqual([-30, 0]);
    expect(net([refund(1, 1, "o", 7), refund(2, 2, "o", 7, { project: "blog" })])).toEqual([-1, 0]);
    expect(net([paid(1, 1, { externalId: "o", metadata: { refund_id: 1 } }), paid(2, 2, { externalId: "o", metadata: { refund_id: 2 } })])).toEqual([1, 1]);
  });

  test("Amounts are exact; what is shown is rounded half to even at the end.", () => {
    expect(net([paid(0, 0.1), paid(1, 0.2)])).toEqual([0.3, 2]);
    expect(net([paid(0, 0.125)])).toEqual([0.12, 1]);
    expect(net([paid(0, 2.675)])).toEqual([2.68, 1]);
    expect(net([paid(0, 0.004), paid(1, 0.004)])).toEqual([0.01, 2]);
    expect(net([paid(0, -0.125)])).toEqual([-0.12, 0]);
    expect(net([paid(0, 1e21)])).toEqual([1e21, 1]);
    expect(net([paid(0, 5e-7)])).toEqual([0, 1]);
    expect(net([paid(0, 5e-13)])).toEqual([0, 0]);
    expect(net([paid(0, 2.5)], { currency: "JPY" })).toEqual([2, 1]);
    expect(net([paid(0, 1.2345)], { currency: "BHD" })).toEqual([1.234, 1]);
  });

  test("Other currencies are converted at the rate of the day, or listed apart under their name.", () => {
    const history = [
      paid(0, 10, { currency: " eur " }), paid(86_400, 10, { metadata: { currency: " EUR" } }), paid(0, 7, { currency: "gbp" }), paid(0, -1.006, { currency: "GBP" }),
      paid(0, 3, { currency: "$" }), paid(0, 1, { currency: "usd" }),
    ];
    const rates = (from: string, to: string, day: string) => (from === "EUR" && to === "USD" ? (day === "2026-03-01" ? 1.1 : 1.2) : undefined);
    const answer = split(history, { rates });
    expect(answer.rows).toEqual([{ dimension: "(direct)", revenue: 24, orders: 3 }]);
    expect(answer.unconverted).toEqual([{ currency: "$", revenue: 3, orders: 1 }, { currency: "GBP", revenue: 5.99, orders: 1 }]);
    expect(split(history).unconverted.map(({ currency }) => currency)).toEqual(["$", "EUR", "GBP"]);
    const words = ["Euro", "\u{1F600}", "\uFF5E", "euro"].map((currency) => paid(0, 1, { currency }));
    expect(split(words).unconverted.map(({ currency }) => currency)).toEqual(["Euro", "euro", "\uFF5E", "\u{1F600}"]);
    expect(net([paid(0, 1e15, { currency: "EUR" })], { rates: () => 1.123456789012345e-3 })).toEqual([1_123_456_789_012.34, 1]);
    for (const rate of [0, -1, Number.NaN, Infinity]) expect(() => split(history, { rates: () => rate })).toThrow(expect.objectContaining({ code: "invalid_parameter" }));
    expect(() => split([], {}, { project: "none" })).toThrow(expect.objectContaining({ code: "project_not_found" }));
  });
});

describe("attribution", () => {
  const touches = (touch: Partial<EventInput>) =>
    (["source", "medium", "campaign"] as const).map((dimension) => split([event(0, touch), paid(1, 1)], {}, { dimension }).rows[0]?.dimension);

  test("A touch is a campaign, else a click id, else a referrer; what it lacks is not set, and without any the payment is direct.", () => {
    expect(touches({})).toEqual(["(direct)", "(none)", "(none)"]);
    expect(touches({ url: "/?utm_source=a+b&utm_source=c&gclid=1#&utm_medium=x" })).toEqual(["a b", "(not set)", "(not set)"]);
    expect(touches({ metadata: { utm_medium: " mail ", utm_source: "" }, url: "/?utm_source=url&utm_medium=url" })).toEqual(["url", "mail", "(not set)"]);
    expect(touches({ metadata: { msclkid: "1" }, url: "/?fbclid=1", referrer: "https://x.com" })).toEqual(["bing", "cpc", "(not set)"]);
    expect(touches({ url: "/?fbclid=1" })).toEqual(["facebook", "paid", "(not set)"]);
    expect(touches({ url: "?gclid=" })).toEqual(["(direct)", "(none)", "(none)"]);
  });

  test.each([
    ["https://www.google.co.uk/search", "google.co.uk", "organic"], ["http://news.google.com:8080/", "news.google.com", "organic"], ["https://m.facebook.com", "m.facebook.com", "social"],
    ["https://notgoogle.com", "notgoogle.com", "referral"], ["https://netx.com", "netx.com", "referral"], ["https://t.co/x", "t.co", "social"],
    ["https://pay.google.com/x", "(direct)", "(none)"], ["https://www.paypal.com", "(direct)", "(none)"], ["https://eu.checkout.stripe.com", "(direct)", "(none)"],
    ["https://WWW.shop.example:443/", "(direct)", "(none)"], ["https://blog.shop.example", "blog.shop.example", "referral"], ["android-app://com.google", "com.google", "referral"],
    ["https://accounts.google.com/", "(direct)", "(none)"], ["https://google.spam.example/", "google.spam.example", "referral"],
    ["google.com", "(direct)", "(none)"],
  ])("The referrer %s is %s, %s.", (referrer, source, medium) => {
    expect(touches({ referrer, hostname: "www.Shop.example:3000" })).toEqual([source, medium, medium === "(none)" ? "(none)" : "(not set)"]);
  });

  test("Options replace the lists of search and social hosts, a search host first, and add to the excluded ones.", () => {
    const medium = (referrer: string, attribution: NonNullable<OracleOptions["attribution"]>) => {
      const history = [event(0, { referrer }), paid(1, 1)];
      return split(history, { attribution }, { dimension: "medium" }).rows[0]?.dimension;
    };
    expect(medium("https://x.com", { searchHosts: ["x.com"] })).toBe("organic");
    expect(medium("https://google.com", { searchHosts: ["x.com"] })).toBe("referral");
    expect(medium("https://x.com", { excludedHosts: ["x.com"] })).toBe("(none)");
    expect(medium("https://paypal.com", { excludedHosts: ["x.com"] })).toBe("(none)");
  });

  test("Rows of equal revenue are ordered by orders, then by code point; what has no rate makes no row.", () => {
    const from = (userId: string, source: string, ...amounts: number[]) => amounts.map((amount, index) => paid(index, amount, { userId, metadata: { utm_source: source } }));
    const history = [...from("a", "\u{1F600}", 2), ...from("b", "\uFF5E", 2), ...from("c", "z", 1, 1), ...from("d", "low", 1), paid(0, 9, { userId: "e", currency: "EUR" })];
    expect(rows(history)).toEqual([["z", 2, 2], ["\uFF5E", 2, 1], ["\u{1F600}", 2, 1], ["low", 1, 1]]);
    expect(rows(history, {}, { limit: 1 })).toEqual([["z", 2, 2]]);
  });

  test("The first or last touch at or before the payment counts, in any project; the payment may be its own.", () => {
    const from = (second: number, source: string, rest: Partial<EventInput> = {}) => event(second, { metadata: { utm_source: source }, ...rest });
    const history = [from(1, "a", { project: "blog" }), from(2, "b"), event(3), paid(4, 1, { metadata: { utm_source: "own" } }), from(5, "late")];
    expect(rows(history)).toEqual([["a", 1, 1]]);
    expect(rows(history, {}, { model: "last_touch" })).toEqual([["own", 1, 1]]);
    expect(rows(history.slice(0, 3).concat(paid(4, 1)), {}, { model: "last_touch" })).toEqual([["b", 1, 1]]);
    expect(rows([...history.slice(0, 3), paid(4, 1)], { attribution: { lookbackMs: 2_000 } })).toEqual([["b", 1, 1]]);
    expect(rows([...history.slice(0, 3), paid(4, 1)], { attribution: { lookbackMs: 1_999 } })).toEqual([["(direct)", 1, 1]]);
  });

  test("A refund takes the label of its order's payment, and a payment by nobody has none.", () => {
    const history = [
      event(0, { metadata: { utm_source: "a" } }), paid(1, 10, { externalId: "o" }), event(2, { name: "Refund", value: 4, externalId: "o", userId: "bob" }),
      event(3, { name: "Refund", value: 1, userId: "bob" }), paid(4, 2, { userId: null, metadata: { utm_source: "b" } }),
    ];
    expect(rows(history)).toEqual([["a", 6, 1], ["(direct)", 1, 1]]);
    // An order of another project is another one, and a touch of the payment's millisecond is later where its id is.
    const elsewhere = [event(0, { metadata: { utm_source: "a" } }), paid(1, 10, { externalId: "o", project: "blog" }), event(2, { name: "Refund", value: 4, externalId: "o", userId: "bob" })];
    expect(rows(elsewhere)).toEqual([["(direct)", -4, 0]]);
    const [payment, after] = [paid(0, 1), event(0, { metadata: { utm_source: "late" } })];
    expect(rows([after, payment])).toEqual([["(direct)", 1, 1]]);
  });

  test("Level account looks at all that the payer's company did, each event under its company at its time.", () => {
    const group = (second: number, companyId: string, userId: string): HistoryItem => ({ group: { id: `g${(serial += 1)}`, createdAt: dayMs + second * 1_000, companyId, userId } });
    const history = [
      group(5, "acme", "ann"), group(5, "acme", "bob"), event(1, { userId: "bob", metadata: { utm_source: "colleague" } }), event(2, { metadata: { utm_source: "own" } }), paid(6, 1),
      event(0, { userId: null, companyId: "acme", metadata: { utm_source: "nobody" } }),
    ];
    expect(rows(history)).toEqual([["nobody", 1, 1]]);
    expect(rows(history.slice(0, 5))).toEqual([["colleague", 1, 1]]);
    expect(rows(history, {}, { level: "identity" })).toEqual([["own", 1, 1]]);
    expect(rows([...history.slice(0, 5), group(0, "other", "bob")])).toEqual([["own", 1, 1]]);
  });
});

describe("cohorts", () => {
  const cohorts = (history: readonly HistoryItem[], level: "account" | "identity") =>
    oracle(history, { nowMs }).ltvCohorts({ project: "shop", level }).cohorts.map(({ cohort, entities, revenue, orders, ltv }) => [cohort, entities, revenue, orders, ltv]);
  const month = (text: string, rest: Partial<EventInput> = {}) => event(0, { createdAt: `${text}-15T00:00:00Z`, ...rest });

  test("An entity belongs to the month of its first event anywhere, and pays all its life; who never pays counts too.", () => {
    const history = [month("2026-01", { project: "blog" }), paid(0, 10), paid(1, 5, { userId: "bob" }), event(2, { userId: "carl" }), month("2026-02", { userId: "dan", project: "blog" }), paid(3, 99, { userId: null })];
    expect(cohorts(history, "identity")).toEqual([["2026-03", 2, 5, 1, 2.5], ["2026-01", 1, 10, 1, 10]]);
    expect(cohorts([...history, { alias: { id: "a", from: "bob", to: "ann" } }], "identity")).toEqual([["2026-03", 1, 0, 0, 0], ["2026-01", 1, 15, 2, 15]]);
  });

  test("What is shown of an entity is the exact revenue divided, and money without identity or rate is apart.", () => {
    const history = [paid(0, 0.005), paid(0, 0.005), paid(0, 0.0049), event(1, { userId: "b" }), paid(2, 3, { currency: "EUR" }), paid(3, 4, { userId: null, currency: "EUR" })];
    expect(cohorts(history, "identity")).toEqual([["2026-03", 2, 0.01, 3, 0.01]]);
    expect(cohorts([paid(0, 0.014), event(1, { userId: "b" })], "identity")).toEqual([["2026-03", 2, 0.01, 1, 0.01]]);
    expect(cohorts([paid(0, 0.0149), event(1, { userId: "b" }), event(1, { userId: "c" })], "identity")).toEqual([["2026-03", 3, 0.01, 1, 0]]);
    expect(cohorts([paid(0, 0.015), event(1, { userId: "b" }), event(1, { userId: "c" }), event(1, { userId: "d" })], "identity")).toEqual([["2026-03", 4, 0.02, 1, 0]]);
    expect(oracle(history, { nowMs }).ltvCohorts({ project: "shop" }).unconverted).toEqual([{ currency: "EUR", revenue: 3, orders: 1 }]);
  });

  test("Level account counts a company once, and those without one alone.", () => {
    const history = [month("2026-02", { companyId: "acme" }), paid(0, 1, { userId: "bob", companyId: "acme" }), paid(1, 1, { userId: "carl" }), paid(2, 1, { userId: null, companyId: "acme" })];
    expect(cohorts(history, "account")).toEqual([["2026-03", 1, 1, 1, 1], ["2026-02", 1, 1, 1, 1]]);
    expect(cohorts([paid(0, 1), event(1, { userId: "b" }), event(1, { userId: "c" })], "account")).toEqual([["2026-03", 3, 1, 1, 0.33]]);
  });
});
