import { INITIAL_CHOICES, type Choices, type ChoicesOf, type ViewName } from "./choices.js";
import type { Filter } from "./filter.js";
import type { INTERVALS, Period } from "./period.js";

/** Everything that decides what the page shows; it stands in the address, whole. */
export interface Picture {
  readonly view: ViewName;
  /** "": the first there is. */
  readonly project: string;
  readonly period: Period;
  readonly compare: "previous" | "year" | "none";
  readonly interval: (typeof INTERVALS)[number];
  /** "": the browser's. */
  readonly zone: string;
  readonly filters: readonly Filter[];
  readonly choices: Choices;
}

export const FIRST_PICTURE: Picture = {
  view: "overview",
  project: "",
  period: "30d",
  compare: "previous",
  interval: "auto",
  zone: "",
  filters: [],
  choices: INITIAL_CHOICES,
};

/** The picture with other choices of a view, which is then the one shown. */
export function choose<V extends ViewName>(picture: Picture, view: V, changed: Partial<ChoicesOf<V>>): Picture {
  return { ...picture, view, choices: { ...picture.choices, [view]: { ...picture.choices[view], ...changed } } };
}

/** Another view of the same time, project and filters. */
export function turnTo(picture: Picture, view: ViewName): Picture {
  return { ...picture, view };
}
