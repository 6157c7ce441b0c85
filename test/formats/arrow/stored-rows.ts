import { fixedClock, openDaybook, type Daybook, type EventInput, type Storage } from "daybook";
import type { Dictionaries } from "../../../src/storage/column/dictionaries.js";
import { ID_COLUMN, SEQUENCE_COLUMN, TIME_COLUMN } from "../../../src/core/schema/fields.js";
import type { Rows } from "../../../src/storage/segment/rows.js";
import { openStore } from "../../../src/store/open-store.js";
import { nowMs } from "../../oracle/settings.js";
import { lastingMemory } from "../../store/objects.js";

/** A Daybook of these events, the first `sealedCount` of them sealed. */
export async function daybookOf(
  events: readonly EventInput[],
  sealedCount: number,
): Promise<{ readonly daybook: Daybook; readonly storage: Storage }> {
  const storage = lastingMemory();
  const daybook = await openDaybook({ storage, clock: fixedClock(nowMs) });
  await daybook.ingest(events.slice(0, sealedCount));
  if (sealedCount > 0) await daybook.seal();
  await daybook.ingest(events.slice(sealedCount));
  return { daybook, storage };
}

/** What lies in a storage, every column loaded; the newest day first. */
export async function storedRows(
  storage: Storage,
  memoryBudgetBytes = 1e9,
): Promise<{ readonly rows: readonly Rows[]; readonly dictionaries: Dictionaries }> {
  const store = await openStore({ storage, durability: "disk", memoryBudgetBytes, readOnly: true });
  const { rows } = store.snapshot();
  for (const one of rows) await one.load([TIME_COLUMN, ID_COLUMN, SEQUENCE_COLUMN, ...one.columnNames()]);
  return { rows, dictionaries: store.dictionaries };
}
