import { LIMITS } from "../../src/core/base/limits.js";
import type { Dictionaries } from "../../src/storage/column/dictionaries.js";
import type { IdentityView } from "../../src/identity/identity-view.js";
import { fileStorage } from "../../src/platform/node/index.js";
import type { Rows } from "../../src/storage/segment/rows.js";
import { openStore } from "../../src/store/open-store.js";

/** What is stored, and who is who. */
export interface StoredEvents {
  readonly dictionaries: Dictionaries;
  readonly identities: IdentityView;
  /** By day. */
  readonly rows: readonly Rows[];
  /** Actors and identities are below it. */
  readonly actorEnd: number;
}

/** Opens a store to look at its columns, without a query. */
export async function storedEvents(directory: string): Promise<StoredEvents> {
  const store = await openStore({ storage: fileStorage(directory), durability: "disk", memoryBudgetBytes: LIMITS.memoryBudgetBytes, readOnly: true });
  const { dictionaries } = store;
  const actorEnd = Math.max(dictionaries.named("userId").size, dictionaries.named("anonymousId").size) * 2;
  const rows = [...store.snapshot().rows].sort((a, b) => a.day - b.day);
  return { dictionaries, identities: store.resolver.view(), rows, actorEnd };
}
