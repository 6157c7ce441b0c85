import type { ComponentType } from "preact";
import type { ViewName } from "../state/view-state.js";
import { Companies } from "./companies.js";
import { Events } from "./events.js";
import { Funnels } from "./funnels.js";
import { Overview } from "./overview.js";
import { Paths } from "./paths.js";
import { People } from "./people.js";
import { Privacy } from "./privacy.js";
import { Retention } from "./retention.js";
import { Revenue } from "./revenue.js";
import { Store } from "./store.js";
import { Trends } from "./trends.js";

export type ViewControl = "period" | "compare" | "interval" | "filters";

export interface ViewEntry {
  readonly name: ViewName;
  readonly title: string;
  readonly controls: readonly ViewControl[];
  readonly View: ComponentType;
}

/** The views, in order of navigation. */
export const VIEWS: readonly [ViewEntry, ...ViewEntry[]] = [
  { name: "overview", title: "Overview", controls: ["period", "compare", "interval", "filters"], View: Overview },
  { name: "trends", title: "Trends", controls: ["period", "compare", "interval", "filters"], View: Trends },
  { name: "funnels", title: "Funnels", controls: ["period", "filters"], View: Funnels },
  { name: "retention", title: "Retention", controls: ["period", "filters"], View: Retention },
  { name: "paths", title: "Paths", controls: ["period", "filters"], View: Paths },
  { name: "events", title: "Events", controls: ["period", "filters"], View: Events },
  { name: "people", title: "People", controls: ["period"], View: People },
  { name: "companies", title: "Companies", controls: ["period"], View: Companies },
  { name: "revenue", title: "Revenue", controls: ["period", "compare", "interval"], View: Revenue },
  { name: "privacy", title: "Privacy requests", controls: [], View: Privacy },
  { name: "store", title: "Store", controls: [], View: Store },
];
