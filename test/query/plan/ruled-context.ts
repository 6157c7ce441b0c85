import type { PlanContext } from "../../../src/query/plan/plan.js";

/** A context whose rules no default has: what a plan takes from them can be told. */
export const ruled: PlanContext = {
  nowMs: Date.UTC(2026, 2, 31, 12),
  cursorKey: new Uint8Array(32).fill(7),
  rules: {
    session: { gapMs: 7, maxMs: 70 },
    pageviewSlugs: ["seen"],
    revenue: { paymentSlugs: ["paid"], refundSlugs: ["given-back"], currency: "EUR" },
    touch: {
      excludedHosts: { hosts: [], domains: ["pay.example"] }, signInHosts: { hosts: [], domains: ["sign-in.example"] },
      searchHosts: { hosts: ["find.example"], domains: [] }, socialHosts: { hosts: [], domains: ["talk.example"] }, lookbackMs: 9,
    },
  },
  savedSegments: new Map(),
  patterns: [],
};

export const DAY_MS = 86_400_000;
