import type { OracleOptions } from "../oracle/rules.js";
import type { Random } from "../../../src/testing/random.js";
import { nowMs } from "./now.js";

const HOUR_MS = 3_600_000;

/** Options that settle what answers mean: mostly the defaults, sometimes each of them. */
export function randomOptions(random: Random): OracleOptions {
  return {
    nowMs,
    ...random.pick([{}, {}, { currency: "EUR" }, { currency: "JPY" }, { currency: "BHD" }]),
    ...random.pick([{}, { rates }, { rates }]),
    ...(random.chance(0.3) ? { session: random.pick([{ gapMs: 1 }, { gapMs: 8 * HOUR_MS }, { gapMs: 0, maxMs: HOUR_MS }, { maxMs: HOUR_MS }]) } : {}),
    ...(random.chance(0.2) ? { pageviewSlugs: ["click"] } : {}),
    ...(random.chance(0.2) ? { revenue: random.pick([{ paymentNames: ["Ünïcode Páyment"] }, { refundNames: ["click", "Purchase"] }]) } : {}),
    ...(random.chance(0.3) ? { attribution: random.pick(attributions) } : {}),
  };
}

const attributions: readonly NonNullable<OracleOptions["attribution"]>[] = [
  { lookbackMs: 30 * 60_000 }, { lookbackMs: 0 }, { excludedHosts: ["partner.example", "google.*"] },
  { searchHosts: ["search.example", "partner.*"], socialHosts: ["example"] }, { searchHosts: [] }, { lookbackMs: null },
];

/** Made-up rates that change with the day, some of them with more digits than fit, and none for the rest. */
function rates(from: string, to: string, day: string): number | undefined {
  if (from === "EUR") return day === "2026-02-28" ? 1.1 : 0.3333333333333333;
  if (from === "JPY") return day < "2026-03-01" ? undefined : 6.123456789012346e-7;
  if (from === "USD") return to === "JPY" ? 151.37 : 0.125;
  return from === "BHD" ? 1e-19 : from === "KWD" ? 3 : undefined;
}
