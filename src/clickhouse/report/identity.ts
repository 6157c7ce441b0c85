import { fixedClock, isoOf } from "../../core/base/time.js";
import { DaybookError, parameterError, shown } from "../../core/base/errors.js";
import { LIMITS } from "../../core/base/limits.js";
import type { Daybook } from "../../engine/daybook.js";
import { ALLOWANCE, type DaybookWithAllowance } from "../../engine/ingest/allowed-options.js";
import { MemoryExecutor } from "../../engine/query/executor.js";
import { loadPast, openOn } from "../../engine/open-daybook.js";
import type { Answer, Executor, Plan } from "../../query/queries.js";
import type { EventInput } from "../../core/schema/event.js";
import { memoryStorage } from "../../store/storage/memory-storage.js";
import { sql, uuids, wholes, type Sql } from "../sql/sql.js";
import { copyOf, EVENT_COLUMNS, type EventTuple } from "../query/event-columns.js";
import { moneyRows } from "../query/payments.js";
import { personOf, type PersonActors } from "../query/person.js";
import { ofActors } from "../query/identity-context.js";
import type { StatementReport, ReportContext } from "./report.js";
import { SERVER_NOW, isStoredUntil, sequenceOf } from "./search-events.js";

type PersonReport = "identitySessions" | "identityProfile" | "identityReferrers" | "identityDeviceGeo";

const BLOCK_ROW_COUNT = 5_000;

/** With the embedded engine, over the person's events alone. Memory: these events. @param isStored condition of the rows to read */
async function answerOfPerson<K extends PersonReport>(plan: Plan<K>, context: ReportContext, isStored: Sql): Promise<Answer<K>> {
  const person = await personOf(plan.person, context);
  const [name, id] = plan.person.kind === "email" ? (["email", plan.person.email] as const) : (["userId", plan.person.userId] as const);
  if (person === null) throw parameterError("identity_not_found", name, `no person has the identifier ${shown(id)}`);
  const executors: Executor[] = [];
  // At the end of time no stored event is in the future.
  const options = { ...context.rules, storage: memoryStorage(), clock: fixedClock(LIMITS.instantMaxMs - 1) };
  await using daybook = await openOn(options, (store, contexts) => {
    const executor = new MemoryExecutor(store, contexts, () => undefined, loadPast);
    executors.push(executor);
    return executor;
  });
  await tie(person, daybook);
  await copyEvents(person, isStored, context, daybook);
  const named = { ...plan, person: { kind: "userId", userId: person.id } } as Plan<K>;
  return await (executors[0] as Executor).execute<K>(named, context.connection.signal);
}

/** Merges all ids of the person before any event is ingested. */
async function tie({ kind, id, users, anonymous }: PersonActors, daybook: Daybook): Promise<void> {
  const person = kind === "user" ? { userId: id } : { anonymousId: id };
  const createdAt = isoOf(0);
  const aliases = users.filter((user) => user !== id).map((from) => ({ type: "alias", from, to: id, createdAt }) as const);
  const links = kind === "user" ? anonymous.map((anonymousId) => ({ type: "identify", userId: id, anonymousId, createdAt }) as const) : [];
  await daybook.ingestRecords([{ type: "identify", ...person }, ...aliases, ...links]);
}

async function copyEvents(person: PersonActors, isStored: Sql, context: ReportContext, daybook: Daybook): Promise<void> {
  const { connection, tables } = context;
  const rows = sql`SELECT ${EVENT_COLUMNS} FROM ${tables.all("events")} WHERE ${isStored}`;
  const block: EventInput[] = [];
  for await (const event of connection.stream<EventTuple>(sql`${rows} AND (${ofActors(person)})`)) {
    block.push(copyOf(event));
    if (block.length === BLOCK_ROW_COUNT) await take(block.splice(0), daybook);
  }
  await take(block, daybook);
  // An order counts once, for its first payer, and so does a refund with an id: add those of others.
  const same = await connection.rows<[day: number, ms: number, id: string]>(ordersOfOthers(person, context));
  if (same.length === 0) return;
  const [days, times, ids] = [same.map(([day]) => day), same.map(([, ms]) => ms), same.map(([, , id]) => id)];
  // The days make this fast: rows are sorted by them.
  const places = sql`day IN ${wholes(days)} AND ms IN ${wholes(times)} AND id IN ${uuids(ids)}`;
  const others = await connection.rows<EventTuple>(sql`${rows} AND ${places}`);
  await take(others.map((event) => ({ ...copyOf(event), userId: null, anonymousId: null })), daybook);
}

/** Ingests events of the servers, where metadata keys have no bound. @throws overloaded where the values are too many for one store */
async function take(events: readonly EventInput[], daybook: DaybookWithAllowance): Promise<void> {
  const { rejected } = await daybook.ingest(events, { [ALLOWANCE]: { keyCountMax: Infinity, limit: null } });
  if (rejected.length > 0) throw new DaybookError("overloaded", "the events of this person have more values than one query can read");
}

/** The payments of others that share an order key with this person, or that have no order key and share a refund id. */
function ordersOfOthers(person: PersonActors, { revenue, tables }: ReportContext): Sql {
  const { rows } = moneyRows(revenue, tables);
  const isOwn = sql`(${ofActors(person)})`;
  const key = sql`if(money.orderKey = '', concat('-', refundId), concat('+', money.orderKey))`;
  const own = sql`SELECT ${key} FROM ${rows} WHERE ${isOwn} AND ${key} != '-'`;
  return sql`SELECT day, ms, id FROM ${rows} WHERE NOT ${isOwn} AND ${key} GLOBAL IN (${own})`;
}

/** Above the sequence of any row of a copy. */
const ALL_ROWS = 2 ** 32 - 1;

export const identityProfile: StatementReport<"identityProfile"> = (plan, context) => answerOfPerson<"identityProfile">(plan, context, sql`true`);

export const identityReferrers: StatementReport<"identityReferrers"> = (plan, context) => answerOfPerson<"identityReferrers">(plan, context, sql`true`);

export const identityDeviceGeo: StatementReport<"identityDeviceGeo"> = (plan, context) => answerOfPerson<"identityDeviceGeo">(plan, context, sql`true`);

/** A page of sessions, of the events stored before the first page was requested. */
export const identitySessions: StatementReport<"identitySessions"> = async (plan, context) => {
  const { connection } = context;
  const [[nowMs] = [0]] = plan.cursor === null ? await connection.rows<[number]>(sql`SELECT ${SERVER_NOW}`) : [];
  const sequence = plan.cursor?.sequence ?? sequenceOf(nowMs);
  const cursor = plan.cursor === null ? null : { ...plan.cursor, sequence: ALL_ROWS };
  const { next, ...page } = await answerOfPerson<"identitySessions">({ ...plan, cursor }, context, isStoredUntil(sequence));
  return { ...page, next: next === null ? null : { ...next, sequence } };
};
