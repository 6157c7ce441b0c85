import { compareCodePoints } from "../../core/base/order.js";
import { DEFAULT_PROJECT } from "../../core/schema/project.js";
import type { Store } from "./store.js";

/** Names of all projects by code point: those of events, those created explicitly, and the default one of events that name none. */
export function projectsOf(store: Store): string[] {
  return [...new Set([DEFAULT_PROJECT, ...store.visibleValues("project").values()])].sort(compareCodePoints);
}
