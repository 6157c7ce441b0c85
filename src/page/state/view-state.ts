import { INITIAL_CHOICES, type Choices, type ChoicesOf, type ViewName } from "./choices.js";
import type { Filter } from "./filter.js";
import type { INTERVALS, Period } from "./period.js";

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
