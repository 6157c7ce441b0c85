import { INITIAL_CHOICES, type Choices, type ChoicesOf, type ViewName } from "./choices.js";
import type { Filter } from "./filter.js";
import { dayIn, rangeOf, unitFor, type INTERVALS, type Period, type DayRange, type Unit } from "./period.js";

/** Everything that determines what the page shows. The URL contains all of it. */
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

/** Changes choices of a view, and makes it the current one. */
export function choose<V extends ViewName>(viewState: ViewState, view: V, changed: Partial<ChoicesOf<V>>): ViewState {
  return { ...viewState, view, choices: { ...viewState.choices, [view]: { ...viewState.choices[view], ...changed } } };
}

/** Switches to another view with the same period, project and filters. */
export function switchView(viewState: ViewState, view: ViewName): ViewState {
  return { ...viewState, view };
}

/** The current time, and the first and last day of the project's data (null: unknown, or no data). */
export interface PageClock {
  readonly nowMs: number;
  readonly extent: { readonly from: string; readonly to: string } | null;
}

/** The parameters of queries: a view state, resolved at a point in time. */
export interface ViewScope extends DayRange {
  readonly project: string;
  readonly zone: string;
  readonly today: string;
  readonly unit: Unit;
  readonly compare: "previous_period" | "previous_year" | null;
  readonly filters: readonly Filter[];
}

const COMPARE = { previous: "previous_period", year: "previous_year", none: null } as const;

export function scopeOf(viewState: ViewState, { nowMs, extent }: PageClock): ViewScope {
  const zone = viewState.zone === "" ? "UTC" : viewState.zone;
  const today = dayIn(zone, nowMs);
  const range = rangeOf(viewState.period, today);
  const isOpen = range.from === null || range.to === null;
  const unit = viewState.interval === "auto" ? unitFor(isOpen && extent !== null ? extent : range) : viewState.interval;
  return { ...range, project: viewState.project, zone, today, unit, compare: isOpen ? null : COMPARE[viewState.compare], filters: viewState.filters };
}
