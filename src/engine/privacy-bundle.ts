import { isoOf } from "../base/time.js";
import { uuidText } from "../base/uuid.js";
import type { IdentityView } from "../identity/identity-view.js";
import { RECORD_KINDS } from "../identity/record-table.js";
import type { RecordField } from "../identity/record-table.js";
import type { Store } from "../store/live/store.js";
import { exportRows } from "./export-events.js";
import type { RowTest } from "./export-events.js";

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

/** All that is held about somebody as NDJSON lines: who they are, what was told about them, every event. Cost: a pass over all days. */
export async function* bundleOf(store: Store, identity: number, view: IdentityView): AsyncGenerator<string> {
  const ids = idsOf(identity, view);
  yield line({ kind: "identity", ...identityLine(store, identity, view, ids) });
  for (let row = 0; row < store.records.rowCount; row += 1) {
    const record = recordLine(store, row, ids);
    if (record !== null) yield line(record);
  }
  const isTheirs: RowTest = (userId, anonymousId) => (userId !== 0 ? ids.userIds.has(userId) : ids.anonymousIds.has(anonymousId));
  for await (const event of exportRows(store, null, { fromMs: 0, toMs: Infinity }, { isWanted: isTheirs })) yield line({ kind: "event", ...event });
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

function identityLine({ dictionaries }: Store, identity: number, view: IdentityView, { userIds, anonymousIds }: PersonIds): object {
  const texts = (codes: ReadonlySet<number>, name: string) => [...codes].map((code) => dictionaries.named(name).valueOf(code)).sort();
  return {
    identityId: view.identityId(identity),
    resolvedIdentifier: view.resolvedIdentifier(identity),
    userIds: texts(userIds, "userId"),
    anonymousIds: texts(anonymousIds, "anonymousId"),
  };
}

function recordLine({ records, dictionaries, resolver }: Store, row: number, { userIds, anonymousIds }: PersonIds): object | null {
  const kind = KIND_NAMES[records.kinds[row] as keyof typeof KIND_NAMES] as string | undefined;
  const userId = records.code(row, "userId");
  const isAlias = records.kinds[row] === RECORD_KINDS.alias;
  const isNamed = userIds.has(userId) || userIds.has(records.code(row, "fromUserId")) || ((isAlias || userId === 0) && anonymousIds.has(records.code(row, "anonymousId")));
  if (kind === undefined || !isNamed || !resolver.isLive(row)) return null;
  const text = (field: RecordField, name: string = field) => dictionaries.named(name).valueOf(records.code(row, field)) || undefined;
  const about = { kind, id: uuidText(records.ids, row * 16), createdAt: isoOf(records.timeOf(row)) };
  if (kind === "alias") return { ...about, from: text("fromUserId", "userId"), to: text("userId") };
  const traits = text("traits");
  const told = { userId: text("userId"), anonymousId: text("anonymousId"), email: text("email"), companyId: text("companyId") };
  return { ...about, ...told, ...(traits === undefined ? {} : { traits: JSON.parse(traits) as unknown }) };
}
