import type { Dictionaries } from "../../storage/column/dictionaries.js";
import type { IdentityResolver } from "../../identity/resolver.js";
import type { MemoryBudget } from "../../storage/segment/memory-budget.js";
import type { Snapshot } from "./catalog.js";

/** What queries see of a store: its current state, or that of an earlier sequence. */
export interface VisibleStore {
  readonly budget: MemoryBudget;
  readonly dictionaries: Dictionaries;
  readonly resolver: IdentityResolver;
  /** How often assigned codes were discarded. */
  readonly truncationCount: number;
  /** Dictionary sizes whose values stored data uses. */
  readonly journaledSizes: ReadonlyMap<string, number>;
  snapshot(): Snapshot;
  /** Calls `look` when no commit is partly visible. */
  whole<T>(look: () => T): Promise<Awaited<T>>;
}
