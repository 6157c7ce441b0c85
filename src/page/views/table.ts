import type { ComponentType } from "preact";
import type { ViewName } from "../state/choices.js";
import { Companies } from "./companies/companies.js";
import { Events } from "./events/events.js";
import { Funnels } from "./funnels/funnels.js";
import { Overview } from "./overview/overview.js";
import { Paths } from "./paths/paths.js";
import { People } from "./people/people.js";
import { Privacy } from "./privacy/privacy.js";
import { Retention } from "./retention/retention.js";
import { Revenue } from "./revenue/revenue.js";
import { Store } from "./store/store.js";
import { Trends } from "./trends/trends.js";

/** Parts of the view state that a view uses. */
export type Taken = "period" | "compare" | "interval" | "filters";

export interface ViewEntry {
  readonly name: ViewName;
  readonly title: string;
  readonly takes: readonly Taken[];
  readonly View: ComponentType;
}

/** The views, in order of navigation. */
export const VIEWS: readonly [ViewEntry, ...ViewEntry[]] = [
  { name: "overview", title: "Overview", takes: ["period", "compare", "interval", "filters"], View: Overview },
  { name: "trends", title: "Trends", takes: ["period", "compare", "interval", "filters"], View: Trends },
  { name: "funnels", title: "Funnels", takes: ["period", "filters"], View: Funnels },
  { name: "retention", title: "Retention", takes: ["period", "filters"], View: Retention },
  { name: "paths", title: "Paths", takes: ["period", "filters"], View: Paths },
  { name: "events", title: "Events", takes: ["period", "filters"], View: Events },
  { name: "people", title: "People", takes: ["period"], View: People },
  { name: "companies", title: "Companies", takes: ["period"], View: Companies },
  { name: "revenue", title: "Revenue", takes: ["period", "compare", "interval"], View: Revenue },
  { name: "privacy", title: "Privacy requests", takes: [], View: Privacy },
  { name: "store", title: "Store", takes: [], View: Store },
];
