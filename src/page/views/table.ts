import type { ComponentType } from "preact";
import type { ViewName } from "../state/choices.js";
import { Overview } from "./overview/overview.js";

/** What of the picture a view looks at. */
export type Taken = "period" | "compare" | "interval" | "filters";

export interface ViewEntry {
  readonly name: ViewName;
  readonly title: string;
  readonly takes: readonly Taken[];
  readonly View: ComponentType;
}

/** The views, in the order of their links. */
export const VIEWS: readonly [ViewEntry, ...ViewEntry[]] = [
  { name: "overview", title: "Overview", takes: ["period", "compare", "interval", "filters"], View: Overview },
];
