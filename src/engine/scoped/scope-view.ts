import type { Range } from "../../query/plan/plan.js";
import type { ScopePlan } from "../../query/plan/scope.js";
import type { Executor } from "../../query/queries.js";

/** The events that pass some scopes, and all records. */
export interface ScopeView extends Executor {
  /** Names of the projects of these events, and `default`. */
  projects(): readonly string[] | Promise<readonly string[]>;
  /** Whether any of these events has a metadata key; null: unknown, and queries give no notices. */
  readonly hasKey: ((key: string) => boolean) | null;
  /** The number of these events by day, newest first, on the days of a range. @throws not_supported */
  daysOf(range: Range): Promise<ReadonlyMap<number, number>>;
}

export interface ScopeViews {
  /** The events that pass all scopes at an instant, up to date. @throws corruption, invalid_regex */
  viewOf(scopes: readonly ScopePlan[], nowMs: number): Promise<ScopeView>;
}
