import { expect, test } from "vitest";
import { reportRules } from "../../src/plan/revenue-rules.js";
import { PAYMENT_HOSTS, SEARCH_HOSTS, SOCIAL_HOSTS } from "../../src/plan/touch-hosts.js";
import { thrown } from "./thrown.js";

test("Without options the usual rules hold.", () => {
  expect(reportRules({})).toEqual({
    session: { gapMs: 30 * 60_000, maxMs: 24 * 3_600_000 },
    pageviewSlugs: ["pageview", "page-view", "page", "screen-view"],
    revenue: { paymentSlugs: ["payment", "purchase", "order-completed"], refundSlugs: ["refund", "order-refunded"], currency: "USD" },
    touch: { excludedHosts: PAYMENT_HOSTS, searchHosts: SEARCH_HOSTS, socialHosts: SOCIAL_HOSTS, lookbackMs: null },
  });
});

test("Given names take the place of the usual ones and become slugs; given hosts lose white space, case and www.", () => {
  const rules = reportRules({
    currency: "EUR",
    session: { gapMs: 0 },
    pageviewSlugs: [],
    revenue: { refundNames: ["Geld zurück!"] },
    attribution: { searchHosts: [" WWW.Find.example "], lookbackMs: 5 },
  });
  expect(rules.revenue).toEqual({ paymentSlugs: ["payment", "purchase", "order-completed"], refundSlugs: ["geld-zuruck"], currency: "EUR" });
  expect(rules.session).toEqual({ gapMs: 0, maxMs: 24 * 3_600_000 });
  expect(rules.pageviewSlugs).toEqual([]);
  expect(rules.touch).toEqual({ excludedHosts: PAYMENT_HOSTS, searchHosts: ["find.example"], socialHosts: SOCIAL_HOSTS, lookbackMs: 5 });
});

test("Excluded hosts come to the payment pages, in whose place they never are.", () => {
  expect(reportRules({ attribution: { excludedHosts: ["pay.example"] } }).touch.excludedHosts).toEqual([...PAYMENT_HOSTS, "pay.example"]);
});

test.each<[string, object]>([
  ["session.gapMs", { session: { gapMs: -1 } }],
  ["session.gapMs", { session: { gapMs: "30" } }],
  ["session.maxMs", { session: { maxMs: Number.NaN } }],
  ["session", { session: 5 }],
  ["pageviewSlugs", { pageviewSlugs: "page" }],
  ["pageviewSlugs", { pageviewSlugs: [""] }],
  ["revenue", { revenue: ["Payment"] }],
  ["revenue.paymentNames", { revenue: { paymentNames: "Payment" } }],
  ["revenue.refundNames", { revenue: { refundNames: ["!"] } }],
  ["attribution.searchHosts", { attribution: { searchHosts: [5] } }],
  ["attribution.lookbackMs", { attribution: { lookbackMs: Infinity } }],
])("Nonsense in %s is refused (%j)", (param, options) => {
  expect(thrown(() => reportRules(options))).toEqual(["invalid_parameter", param]);
});

test.each<[string, object]>([
  ["session.gapMS", { session: { gapMS: 5 } }],
  ["revenue.names", { revenue: { names: [] } }],
  ["attribution.hosts", { attribution: { hosts: [] } }],
])("The option %s, which nobody knows, is refused (%j)", (param, options) => {
  expect(thrown(() => reportRules(options))).toEqual(["unknown_parameter", param]);
});
