/* eslint-disable @typescript-eslint/no-non-null-assertion -- sessions are bounded by their columns */
import { cutOf } from "../../answer/insights/buckets.js";
import { startOfUnit, unitNumberAt, type DateCut } from "../../calendar/axis.js";
import type { CalendarPlan } from "../../plan/insights/plan.js";
import type { Range } from "../../plan/plan.js";
import type { Stretch } from "../../table/sessions/kept-stretches.js";
import type { SessionView } from "../../table/sessions/session-view.js";

/** The ordered sessions that start in a range, day by day of a calendar: whole days, also where the range is cut. Cost: the days that have any. */
export function sessionDays(view: SessionView, { fromMs, toMs }: Range, calendar: CalendarPlan): Stretch[] {
  const cut: DateCut = { ...cutOf(calendar, "day"), unit: "day" };
  const end = view.firstAt(toMs);
  const days: Stretch[] = [];
  for (let at = view.firstAt(fromMs); at < end; at = days.at(-1)!.end) {
    const number = unitNumberAt(cut, view.facts.starts[at]!);
    days.push({ first: days.at(-1)?.end ?? view.firstAt(startOfUnit(cut, number)), end: view.firstAt(startOfUnit(cut, number + 1)) });
  }
  return days;
}
