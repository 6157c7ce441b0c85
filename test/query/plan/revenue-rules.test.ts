import { expect, test } from "vitest";
import { reportRules, PAYMENT_HOSTS, SEARCH_HOSTS, SIGN_IN_HOSTS, SOCIAL_HOSTS } from "../../../src/query/plan/report-rules.js";
import { thrown } from "./thrown.js";

test("Without options the usual rules hold.", () => {
  expect(reportRules({})).toEqual({
    session: { gapMs: 30 * 60_000, maxMs: 24 * 3_600_000 },
    pageviewSlugs: ["pageview", "page-view", "page", "screen-view"],
    revenue: { paymentSlugs: ["payment", "purchase", "order-completed"], refundSlugs: ["refund", "order-refunded"], currency: "USD" },
    touch: { excludedHosts: PAYMENT_HOSTS, signInHosts: SIGN_IN_HOSTS, searchHosts: SEARCH_HOSTS, socialHosts: SOCIAL_HOSTS, lookbackMs: null },
  });
});

test("Given names take the place of the usual ones and become slugs; given hosts are written as browsers write them.", () => {
  const rules = reportRules({
    currency: "EUR",
    session: { gapMs: 0 },
    pageviewSlugs: [],
    revenue: { refundNames: ["Geld zurück!"] },
    attribution: { searchHosts: [" WWW.Find.example ", "B\u00FCcher.example.", "Look.*", "com.Some_App", "544007664", "::1", "a.example:80"], lookbackMs: 5 },
  });
  expect(rules.revenue).toEqual({ paymentSlugs: ["payment", "purchase", "order-completed"], refundSlugs: ["geld-zuruck"], currency: "EUR" });
  expect(rules.session).toEqual({ gapMs: 0, maxMs: 24 * 3_600_000 });
  expect(rules.pageviewSlugs).toEqual([]);
  const domains = ["find.example", "xn--bcher-kva.example", "look.*", "com.some_app", "544007664", "[::1]", "a.example"];
  expect(rules.touch.searchHosts).toEqual({ hosts: [], domains });
  expect(rules.touch).toEqual({ ...reportRules({}).touch, searchHosts: { hosts: [], domains }, lookbackMs: 5 });
});

test("Excluded hosts come to the payment pages, in whose place they never are.", () => {
  expect(reportRules({ attribution: { excludedHosts: ["pay.example"] } }).touch.excludedHosts.domains).toEqual([...PAYMENT_HOSTS.domains, "pay.example"]);
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
  ["attribution.excludedHosts", { attribution: { excludedHosts: ["https://pay.example/"] } }],
  ["attribution.excludedHosts", { attribution: { excludedHosts: ["pay.example/checkout"] } }],
  ["attribution.socialHosts", { attribution: { socialHosts: [".*"] } }],
  ["attribution.socialHosts", { attribution: { socialHosts: ["*.talk.example"] } }],
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
