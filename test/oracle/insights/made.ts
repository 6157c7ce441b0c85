import type { EventInput } from "daybook";
import { oracle, type HistoryItem, type Oracle, type OracleOptions } from "../../support/index.js";

/** When the made histories are asked about, if nothing else is said. */
export const nowMs = Date.parse("2026-06-01T00:00:00Z");

let serial = 0;

/** An event of ann. Ids ascend in the order of calls. */
export function event(time: string | number, rest: Partial<EventInput> = {}): EventInput {
  return { id: `00000000-0000-4000-8000-${nextSerial()}`, name: "e", userId: "ann", createdAt: new Date(time), ...rest };
}

export function identify(time: string, rest: object): HistoryItem {
  return { identify: { id: `i${nextSerial()}`, createdAt: Date.parse(time), userId: "ann", ...rest } };
}

export function group(time: string, companyId: string, rest: object): HistoryItem {
  return { group: { id: `g${nextSerial()}`, createdAt: Date.parse(time), userId: "ann", companyId, ...rest } };
}

export function ask(history: readonly HistoryItem[], options: Partial<OracleOptions> = {}): Oracle {
  return oracle(history, { nowMs, ...options });
}

function nextSerial(): string {
  return String((serial += 1)).padStart(12, "0");
}
