import { compareCodePoints } from "../../core/base/text-order.js";
import { uuidText } from "../../core/base/uuid.js";
import { DICTIONARY_OF_FIELD, storedRecord, type RecordField, type RecordTable } from "../../identity/record-table.js";
import type { StoredRecord } from "../../core/schema/record.js";
import type { Dictionaries } from "../../storage/column/dictionaries.js";
import { whilePinned, type Rows } from "../../storage/segment/rows.js";
import type { Store } from "../../store/live/store.js";
import type { ExportedRecordPlace } from "./place.js";
import type { Yielder } from "../../core/base/yield.js";
import { GIVEN_ROW_VALUES, rowYielder } from "./row-yielder.js";

/**
 * Yields every project that no event names, by code point, then every record of a snapshot in (createdAt, id) order, unlinks after the record they
 * revoke. Cost: a merge of the records added since the last export with the others; if there is such a project, a pass over the projects of all rows.
 * @param after the last item of the previous page
 * @throws corruption, aborted
 */
export async function* exportStoredRecords(
  store: Store,
  after: ExportedRecordPlace | null = null,
  signal?: Pick<AbortSignal, "aborted">,
): AsyncGenerator<StoredRecord> {
  const [project, place] = after === null ? ["", null] : "name" in after ? [after.name, null] : [null, after];
  const { dictionaries } = store;
  const yielder = rowYielder(signal);
  const { records, rows, projects, snapshot } = await store.betweenCommits(() => ({
    records: store.records,
    rows: store.records.inOrder.rows(place),
    projects: store.visibleValues("project"),
    // Held so that an erasure waits for this export.
    snapshot: store.snapshot(),
  }));
  try {
    if (project !== null) {
      const names = await projectsWithoutEvents(projects, snapshot.rows, yielder);
      for (const name of names) if (compareCodePoints(name, project) > 0) yield { type: "project", name };
    }
    for (const row of rows) {
      if (yielder.isDue(GIVEN_ROW_VALUES)) await yielder.yield();
      yield recordAt(records, row, dictionaries);
    }
  } finally {
    snapshot.release();
  }
}

async function projectsWithoutEvents(projects: ReadonlyMap<number, string>, parts: readonly Rows[], yielder: Yielder): Promise<readonly string[]> {
  const unseen = new Set(projects.keys());
  for (const rows of parts) {
    if (unseen.size === 0) break;
    if (yielder.isDue(rows.rowCount)) await yielder.yield();
    await whilePinned([rows], async () => {
      await rows.load(["project"]);
      for (const code of new Set(rows.column("project").codes)) unseen.delete(code);
    });
  }
  return [...unseen].map((code) => projects.get(code) ?? "").sort(compareCodePoints);
}

function recordAt(records: RecordTable, row: number, dictionaries: Dictionaries): StoredRecord {
  const text = (field: RecordField) => dictionaries.named(DICTIONARY_OF_FIELD[field]).valueOf(records.code(row, field));
  return storedRecord(records.kinds[row], uuidText(records.ids, row * 16), records.timeOf(row), text);
}
