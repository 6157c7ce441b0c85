import { MS_PER_DAY } from "../../base/time.js";
import type { Regulation } from "./requests.js";

/** How long an answer may take, and how long after an extension, both from receipt; no second one: it cannot be extended. */
interface Term {
  readonly unit: "day" | "month";
  readonly count: number;
  readonly extendedCount: number | null;
}

const TERMS: Readonly<Record<Regulation, Term>> = {
  // GDPR article 12(3): one month, extendable by two further months.
  gdpr: { unit: "month", count: 1, extendedCount: 3 },
  // California Code of Regulations, title 11, section 7021: 45 days, and 45 more.
  ccpa: { unit: "day", count: 45, extendedCount: 90 },
  // LGPD article 19, II: 15 days.
  lgpd: { unit: "day", count: 15, extendedCount: null },
  other: { unit: "day", count: 30, extendedCount: null },
};

export function isExtendable(regulation: Regulation): boolean {
  return TERMS[regulation].extendedCount !== null;
}

/** Epoch ms by which a request received at `createdAtMs` is to be resolved. */
export function dueAtMs(regulation: Regulation, createdAtMs: number, isExtended: boolean): number {
  const { unit, count, extendedCount } = TERMS[regulation];
  const total = isExtended ? (extendedCount ?? count) : count;
  return unit === "day" ? createdAtMs + total * MS_PER_DAY : addMonths(createdAtMs, total);
}

/** The same time of day, UTC, on the same day of a later month, or on its last day where it is shorter. */
function addMonths(ms: number, count: number): number {
  const from = new Date(ms);
  const [year, month] = [from.getUTCFullYear(), from.getUTCMonth() + count];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(from.getUTCDate(), lastDay)) + (ms % MS_PER_DAY);
}
