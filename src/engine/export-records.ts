import { compareCodePoints } from "../base/order.js";
import { isoOf } from "../base/time.js";
import { uuidText } from "../base/uuid.js";
import { emailOfTraits } from "../identity/decode-record.js";
import { DICTIONARY_OF_FIELD, RECORD_KINDS } from "../identity/record-table.js";
import type { RecordField, RecordTable } from "../identity/record-table.js";
import type { StoredRecord } from "../schema/record.js";
import type { Dictionaries } from "../column/dictionaries.js";
import type { Rows } from "../segment/rows.js";
import type { Store } from "../store/store.js";

/**
 * Every project that no event names, by code point, then every record of a moment in the order of (createdAt, id), what takes a record
 * back behind it. Cost: a sort of the records; where there is such a project, a look at the projects of all rows.
 */
export async function* exportStoredRecords(store: Store): AsyncGenerator<StoredRecord> {
  await store.whole();
  // An erasure waits for whoever reads what it takes away.
  const snapshot = store.snapshot();
  try {
    const { records, dictionaries } = store;
    const rows = rowsInOrder(records);
    for (const name of await projectsWithoutEvents(store.durableValues("project"), snapshot.rows)) yield { type: "project", name };
    for (const row of rows) yield storedRecord(records, row, dictionaries);
  } finally {
    snapshot.release();
  }
}

async function projectsWithoutEvents(projects: readonly string[], parts: readonly Rows[]): Promise<readonly string[]> {
  const unseen = new Set(projects.keys());
  for (const rows of parts) {
    if (unseen.size === 0) break;
    rows.pin();
    try {
      await rows.load(["project"]);
      // Codes begin with 1.
      for (const code of new Set(rows.column("project").codes)) unseen.delete(code - 1);
    } finally {
      rows.unpin();
    }
  }
  return [...unseen].map((at) => projects[at] ?? "").sort(compareCodePoints);
}

function rowsInOrder(records: RecordTable): Uint32Array {
  const isUnlink = (row: number) => records.kinds[row] === RECORD_KINDS.unlink;
  const rows = Uint32Array.from({ length: records.rowCount }, (_, row) => row);
  // Stores of before may hold that a record was taken back twice.
  const told = rows.filter((row) => !isUnlink(row) || records.findUnlink(records.ids, row * 16) === row);
  return told.sort((a, b) => records.compare(a, b) || Number(isUnlink(a)) - Number(isUnlink(b)));
}

function storedRecord(records: RecordTable, row: number, dictionaries: Dictionaries): StoredRecord {
  const text = (field: RecordField) => dictionaries.named(DICTIONARY_OF_FIELD[field]).valueOf(records.code(row, field));
  const some = <Name extends RecordField>(field: Name) => {
    const value = text(field);
    return (value === "" ? {} : { [field]: value }) as { readonly [Each in Name]?: string };
  };
  const id = uuidText(records.ids, row * 16);
  const createdAt = isoOf(records.timeOf(row));
  const traitsText = text("traits");
  const traits = traitsText === "" ? {} : { traits: JSON.parse(traitsText) as Readonly<Record<string, unknown>> };
  switch (records.kinds[row]) {
    case RECORD_KINDS.identify: {
      const email = text("email") === emailOfTraits(traits.traits) ? {} : { email: text("email") };
      return { type: "identify", id, createdAt, ...some("userId"), ...some("anonymousId"), ...email, ...traits };
    }
    case RECORD_KINDS.group:
      return { type: "group", id, createdAt, companyId: text("companyId"), ...some("userId"), ...some("anonymousId"), ...traits };
    case RECORD_KINDS.alias:
      return { type: "alias", id, createdAt, from: text("fromUserId"), to: text("userId") };
    default:
      return { type: "unlink", createdAt, linkId: id };
  }
}
