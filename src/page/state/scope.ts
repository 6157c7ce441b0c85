import { dayIn } from "./dates.js";
import type { Filter } from "./filter.js";
import { rangeOf, unitFor, type DayRange, type Unit } from "./period.js";
import type { ViewState } from "./view-state.js";

/** What a view state does not contain: the current time, and the first and last day of the project's data (null: unknown, or no data). */
export interface PageClock {
  readonly nowMs: number;
  readonly extent: { readonly from: string; readonly to: string } | null;
}

/** A view state at a point in time, from which queries are built. */
export interface ViewScope extends DayRange {
  readonly project: string;
  readonly zone: string;
  readonly today: string;
  readonly unit: Unit;
  readonly compare: "previous_period" | "previous_year" | null;
  readonly filters: readonly Filter[];
}

const COMPARE = { previous: "previous_period", year: "previous_year", none: null } as const;

export function scopeOf(picture: ViewState, { nowMs, extent }: PageClock): ViewScope {
  const zone = picture.zone === "" ? "UTC" : picture.zone;
  const today = dayIn(zone, nowMs);
  const range = rangeOf(picture.period, today);
  const isOpen = range.from === null || range.to === null;
  const unit = picture.interval === "auto" ? unitFor(isOpen && extent !== null ? extent : range) : picture.interval;
  return { ...range, project: picture.project, zone, today, unit, compare: isOpen ? null : COMPARE[picture.compare], filters: picture.filters };
}
