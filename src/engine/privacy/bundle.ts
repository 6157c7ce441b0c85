import { uuidText } from "../../base/uuid.js";
import type { Dictionaries } from "../../column/dictionaries.js";
import type { IdentityView } from "../../identity/identity-view.js";
import { DICTIONARY_OF_FIELD, RECORD_KINDS } from "../../identity/record-table.js";
import type { RecordField, RecordTable } from "../../identity/record-table.js";
import type { Snapshot } from "../../store/live/catalog.js";
import type { Store } from "../../store/live/store.js";
import { line, toldRecord } from "./bundle-lines.js";
import { exportRows } from "../exports/events.js";
import type { PersonTest } from "../exports/events.js";
import { PASSED_ROW_VALUES, RowTurns } from "../exports/row-turns.js";

/** The ids of one identity: all that its records and events are found by. */
export interface PersonIds {
  readonly userIds: ReadonlySet<number>;
  readonly anonymousIds: ReadonlySet<number>;
}

export function idsOf(identity: number, view: IdentityView): PersonIds {
  const actors = view.actorsOf(identity);
  return {
    userIds: new Set(actors.filter((actor) => (actor & 1) === 0).map((actor) => actor >>> 1)),
    anonymousIds: new Set(actors.filter((actor) => (actor & 1) === 1).map((actor) => actor >>> 1)),
  };
}

const KIND_NAMES = { [RECORD_KINDS.identify]: "identify", [RECORD_KINDS.group]: "group", [RECORD_KINDS.alias]: "alias" } as const;

/** All that is held at one moment. */
export interface Held {
  readonly dictionaries: Dictionaries;
  readonly view: IdentityView;
  readonly records: RecordTable;
  /** Records that come later are no part of it. */
  readonly recordCount: number;
  readonly isLive: (row: number) => boolean;
  /** Release it in the end. */
  readonly snapshot: Snapshot;
}

/** What is held in this turn, in which no commit is seen in part. */
export function heldIn(store: Store): Held {
  const { dictionaries, records, resolver } = store;
  const { recordEnd } = resolver;
  return { dictionaries, view: resolver.view(), records, recordCount: recordEnd, isLive: (row) => resolver.isLive(row, recordEnd), snapshot: store.snapshot() };
}

/**
 * All that is held about somebody as NDJSON lines: who they are, what was told about them, every event. Cost: a pass over all days.
 * @throws corruption, aborted
 */
export async function* bundleOf(identity: number, held: Held, signal?: Pick<AbortSignal, "aborted">): AsyncGenerator<string> {
  const turns = new RowTurns(signal);
  const ids = idsOf(identity, held.view);
  yield line({ kind: "identity", ...identityLine(held, identity, ids) });
  for (let row = 0; row < held.recordCount; row += 1) {
    if (turns.isDue(PASSED_ROW_VALUES)) await turns.turn();
    const record = recordLine(held, row, ids);
    if (record !== null) yield line(record);
  }
  const isTheirs: PersonTest = (userId, anonymousId) => (userId !== 0 ? ids.userIds.has(userId) : ids.anonymousIds.has(anonymousId));
  const events = exportRows(held.snapshot.rows, held.dictionaries, { fromMs: 0, toMs: Infinity }, { isWanted: isTheirs, signal });
  for await (const event of events) yield line({ kind: "event", ...event });
}

function identityLine({ dictionaries, view }: Held, identity: number, { userIds, anonymousIds }: PersonIds): object {
  const texts = (codes: ReadonlySet<number>, name: string) => [...codes].map((code) => dictionaries.named(name).valueOf(code)).sort();
  return {
    identityId: view.identityId(identity),
    resolvedIdentifier: view.resolvedIdentifier(identity),
    userIds: texts(userIds, "userId"),
    anonymousIds: texts(anonymousIds, "anonymousId"),
  };
}

function recordLine({ records, dictionaries, isLive }: Held, row: number, { userIds, anonymousIds }: PersonIds): object | null {
  const kind = KIND_NAMES[records.kinds[row] as keyof typeof KIND_NAMES] as string | undefined;
  const userId = records.code(row, "userId");
  const isAlias = records.kinds[row] === RECORD_KINDS.alias;
  const isNamed = userIds.has(userId) || userIds.has(records.code(row, "fromUserId")) || ((isAlias || userId === 0) && anonymousIds.has(records.code(row, "anonymousId")));
  if (kind === undefined || !isNamed || !isLive(row)) return null;
  const text = (field: RecordField) => dictionaries.named(DICTIONARY_OF_FIELD[field]).valueOf(records.code(row, field));
  return toldRecord(kind, uuidText(records.ids, row * 16), records.timeOf(row), text);
}
