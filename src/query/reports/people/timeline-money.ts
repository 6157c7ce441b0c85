/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the timeline */
import { SEQUENCE_COLUMN } from "../../../core/schema/fields.js";
import type { Money } from "../../answer/money.js";
import type { PaymentOf } from "../../tables/money/revenue-table.js";
import { whilePinned } from "../../../storage/segment/while-pinned.js";
import type { Timeline } from "../../tables/people/timeline.js";

/** The revenue events of a timeline by index, including duplicates, and their amount in the reporting currency; null if they do not count. */
export type TimelineMoney = ReadonlyMap<number, Money | null>;

/** Finds the payments of an identity in its timeline. Sequences distinguish events of the same millisecond. Cost: one search per payment. */
export async function moneyOn(timeline: Timeline, payments: readonly PaymentOf[]): Promise<TimelineMoney> {
  const money = new Map<number, Money | null>();
  for (const { ms, sequence, amount } of payments) {
    const at = await placeOf(timeline, ms, sequence);
    if (at !== -1) money.set(at, amount);
  }
  return money;
}

async function placeOf(timeline: Timeline, ms: number, sequence: number): Promise<number> {
  const first = timeline.firstAt(ms);
  const isOnly = first < timeline.count && timeline.times[first] === ms && timeline.times[first + 1] !== ms;
  if (isOnly || timeline.times[first] !== ms) return isOnly ? first : -1;
  for (let at = first; at < timeline.count && timeline.times[at] === ms; at += 1) {
    const rows = timeline.rowsAt(at);
    if (sequence < rows.firstSequence || sequence > rows.lastSequence) continue;
    const found = await whilePinned([rows], async () => {
      await rows.load([SEQUENCE_COLUMN]);
      return rows.sequences()[timeline.rows[at]!] === sequence;
    });
    if (found) return at;
  }
  return -1;
}
