import { uuidText } from "../../core/base/uuid.js";
import type { IdentityView } from "../../identity/identity-view.js";
import { DICTIONARY_OF_FIELD, RECORD_KINDS, type RecordField, type RecordTable } from "../../identity/record-table.js";
import type { Dictionaries } from "../../storage/column/dictionaries.js";
import type { Snapshot } from "../../store/live/catalog.js";
import type { Store } from "../../store/live/store.js";
import { exportRows, type PersonTest } from "../exports/events.js";
import { PASSED_ROW_VALUES, rowYielder } from "../exports/row-yielder.js";
import { bundleRecord, line } from "./bundle-lines.js";

/** The codes of the ids of one identity, by which its records and events are found. */
export interface PersonIds {
  readonly userIds: ReadonlySet<number>;
  readonly anonymousIds: ReadonlySet<number>;
}

const KIND_NAMES = { [RECORD_KINDS.identify]: "identify", [RECORD_KINDS.group]: "group", [RECORD_KINDS.alias]: "alias" } as const;

export interface StoredData {
  readonly dictionaries: Dictionaries;
  readonly view: IdentityView;
  readonly records: RecordTable;
  /** Later records are not included. */
  readonly recordCount: number;
  readonly isLive: (row: number) => boolean;
  /** The caller must release it. */
  readonly snapshot: Snapshot;
}

/** Takes a snapshot; call it only where no commit is partly visible. */
export function heldIn(store: Store): StoredData {
  const { dictionaries, records, resolver } = store;
  const { recordEnd } = resolver;
  return { dictionaries, view: resolver.view(), records, recordCount: recordEnd, isLive: (row) => resolver.isLive(row, recordEnd), snapshot: store.snapshot() };
}

/** Yields all data about a person as NDJSON lines: the identity, its records, every event. Cost: a pass over all days. @throws corruption, aborted */
export async function* bundleOf(identity: number, ids: PersonIds, held: StoredData, signal?: Pick<AbortSignal, "aborted">): AsyncGenerator<string> {
  const yielder = rowYielder(signal);
  yield line({ kind: "identity", ...identityLine(held, identity, ids) });
  for (let row = 0; row < held.recordCount; row += 1) {
    if (yielder.isDue(PASSED_ROW_VALUES)) await yielder.yield();
    const record = recordLine(held, row, ids);
    if (record !== null) yield line(record);
  }
  const isTheirs: PersonTest = (userId, anonymousId) => (userId !== 0 ? ids.userIds.has(userId) : ids.anonymousIds.has(anonymousId));
  const events = exportRows(held.snapshot.rows, held.dictionaries, { fromMs: 0, toMs: Infinity }, { isWanted: isTheirs, signal });
  for await (const event of events) yield line({ kind: "event", ...event });
}

function identityLine({ dictionaries, view }: StoredData, identity: number, { userIds, anonymousIds }: PersonIds): object {
  const texts = (codes: ReadonlySet<number>, name: string) => [...codes].map((code) => dictionaries.named(name).valueOf(code)).sort();
  return {
    identityId: view.identityId(identity),
    resolvedIdentifier: view.resolvedIdentifier(identity),
    userIds: texts(userIds, "userId"),
    anonymousIds: texts(anonymousIds, "anonymousId"),
  };
}

function recordLine({ records, dictionaries, isLive }: StoredData, row: number, { userIds, anonymousIds }: PersonIds): object | null {
  const kind = KIND_NAMES[records.kinds[row] as keyof typeof KIND_NAMES] as string | undefined;
  const userId = records.code(row, "userId");
  const isAlias = records.kinds[row] === RECORD_KINDS.alias;
  const isNamed = userIds.has(userId) || userIds.has(records.code(row, "fromUserId")) || ((isAlias || userId === 0) && anonymousIds.has(records.code(row, "anonymousId")));
  if (kind === undefined || !isNamed || !isLive(row)) return null;
  const text = (field: RecordField) => dictionaries.named(DICTIONARY_OF_FIELD[field]).valueOf(records.code(row, field));
  return bundleRecord(kind, uuidText(records.ids, row * 16), records.timeOf(row), text);
}
