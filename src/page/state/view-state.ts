import { INITIAL_CHOICES, type Choices, type ChoicesOf, type ViewName } from "./choices.js";
import type { Filter } from "./filter.js";
import { dayIn, rangeOf, unitFor, type INTERVALS, type Period, type DayRange, type Unit } from "./period.js";

/** The view state: everything that determines what the page shows. The address contains all of it. */
export interface ViewState {
  readonly view: ViewName;
  /** "": the one with the most events. */
  readonly project: string;
  readonly period: Period;
  readonly compare: "previous" | "year" | "none";
  readonly interval: (typeof INTERVALS)[number];
  /** "": the browser's. */
  readonly zone: string;
  readonly filters: readonly Filter[];
  readonly choices: Choices;
}

export const INITIAL_VIEW_STATE: ViewState = {
  view: "overview",
  project: "",
  period: "30d",
  compare: "previous",
  interval: "auto",
  zone: "",
  filters: [],
  choices: INITIAL_CHOICES,
};

/** The view state with other choices of a view, which becomes the current one. */
export function choose<V extends ViewName>(picture: ViewState, view: V, changed: Partial<ChoicesOf<V>>): ViewState {
  return { ...picture, view, choices: { ...picture.choices, [view]: { ...picture.choices[view], ...changed } } };
}

/** Another view with the same time, project and filters. */
export function turnTo(picture: ViewState, view: ViewName): ViewState {
  return { ...picture, view };
}

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
