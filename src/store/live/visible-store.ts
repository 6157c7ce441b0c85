import type { Dictionaries } from "../../column/dictionaries.js";
import type { IdentityResolver } from "../../identity/resolver.js";
import type { MemoryBudget } from "../../segment/memory-budget.js";
import type { Snapshot } from "./catalog.js";

/** What questions see of a store: of the moment, or as it was when it had come to an earlier sequence. */
export interface VisibleStore {
  readonly budget: MemoryBudget;
  readonly dictionaries: Dictionaries;
  readonly resolver: IdentityResolver;
  /** How often codes were given up that had been given. */
  readonly truncationCount: number;
  /** Sizes of the dictionaries as far as what is stored uses their values. */
  readonly journaledSizes: ReadonlyMap<string, number>;
  snapshot(): Snapshot;
  /** Calls `look` in a turn in which no commit is seen in part. */
  whole<T>(look: () => T): Promise<Awaited<T>>;
}
