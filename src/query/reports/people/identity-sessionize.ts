/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the timeline */
import { codeAt } from "../../../storage/column/column.js";
import type { SessionRule } from "../../plan/plan.js";
import type { Rows } from "../../../storage/segment/rows.js";
import { sessionize, type Sessions } from "../../answer/sessionize.js";
import type { TimelineMoney } from "./timeline-money.js";
import { eachLoaded, type TimelineSpan, type Timeline } from "../../tables/people/timeline.js";

const PLACE_COLUMNS = ["url", "hostname"] as const;

/** All sessions of an identity. Leaves out payments that a server reported, which have neither url nor hostname. */
export async function sessionsOf(timeline: Timeline, money: TimelineMoney, rule: SessionRule, pause: () => Promise<void>): Promise<Sessions> {
  const leftOut = new Uint8Array(timeline.count);
  const paid = new Set(Array.from(money.keys(), (at) => timeline.spanPlace(at)));
  const spans = timeline.spans.filter(({ rows }, place) => paid.has(place) && !PLACE_COLUMNS.some((column) => isEverywhere(rows, column)));
  await eachLoaded(spans, () => PLACE_COLUMNS, (span) => markLeftOut(timeline, span, money, leftOut), pause);
  const [projects] = await timeline.codes(["project"], pause);
  return sessionize(timeline.times, projects, leftOut, rule);
}

/** Whether all rows have a value, by the zone map alone. */
function isEverywhere(rows: Rows, column: string): boolean {
  return rows.zone(column)?.hasZero === false;
}

function markLeftOut(timeline: Timeline, { rows, from, to }: TimelineSpan, money: TimelineMoney, leftOut: Uint8Array): void {
  const urls = rows.column("url");
  const hostnames = rows.column("hostname");
  for (let at = from; at < to; at += 1) {
    const row = timeline.rows[at]!;
    if (codeAt(urls, row) === 0 && codeAt(hostnames, row) === 0 && money.has(at)) leftOut[at] = 1;
  }
}
