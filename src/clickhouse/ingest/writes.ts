import { DaybookError, parameterError, shown } from "../../core/base/errors.js";
import { isoOf } from "../../core/base/time.js";
import { parseUuid, uuidText } from "../../core/base/uuid.js";
import { RECORD_KINDS } from "../../identity/record-table.js";
import { decodeRecord, type DecodedRecord, type NamedProject, type RecordContext } from "../../identity/decode-record.js";
import type { AdjustedEvent, IngestResult, RejectedEvent } from "../../core/schema/event.js";
import { EventFault } from "../../core/schema/decode-event.js";
import { ERASED_EVENT, erasedRecord, Suppression, TimeToLiveRules } from "../../engine/ingest/suppression.js";
import { rulesInForce, rulesOf, type RuleColumns } from "../removal/deletions.js";
import { remove, yearsToRename, type Note, type RemovalContext } from "../removal/removal.js";
import { piecesOf, sql, uuid, uuids, type Sql } from "../sql/sql.js";
import type { Servers } from "../tables/servers.js";
import { EventRows, type EventRow } from "./event-rows.js";
import { keyOf, storeOnce, type RowWithId, type StoreOf } from "./stored-once.js";

/** The bounds of one insert: the rows of a ClickHouse block; characters, as its rows become one string, which has some 500 million at most. */
const INSERT_BOUNDS = { itemCount: 50_000, charCount: 64 * 1024 * 1024 };

/** Groups under way at once. Each takes several statements, and one that waits for a slow server must not delay all others. */
const GROUP_COUNT = 4;

interface QueuedWrite<Item> {
  readonly item: Item;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** Runs queued items as one group as soon as few enough are under way: a server stores few large inserts sooner than many small ones. */
class WriteCoalescer<Item> {
  #waiting: QueuedWrite<Item>[] = [];
  #underWayCount = 0;

  constructor(
    readonly itemCountMax: number,
    readonly run: (items: readonly Item[]) => Promise<void>,
  ) {}

  add(item: Item): Promise<void> {
    return new Promise((done, failed) => {
      this.#waiting.push({ item, done, failed });
      this.#begin();
    });
  }

  #begin(): void {
    while (this.#underWayCount < GROUP_COUNT && this.#waiting.length > 0) {
      const group = this.#waiting.slice(0, this.itemCountMax);
      this.#waiting = this.#waiting.slice(this.itemCountMax);
      this.#underWayCount += 1;
      void this.#runGroup(group);
    }
  }

  async #runGroup(group: readonly QueuedWrite<Item>[]): Promise<void> {
    try {
      await this.run(group.map(({ item }) => item));
      for (const { done } of group) done();
    } catch (error) {
      for (const { failed } of group) failed(error);
    }
    this.#underWayCount -= 1;
    this.#begin();
  }
}

interface Refusals {
  /** Covers every person erased by then. */
  readonly suppression: Suppression;
  readonly timeToLive: TimeToLiveRules;
}

/** Reads the erasures of all processes, and the rules of time to live. */
export class RefusalsTable {
  readonly #key: Uint8Array;
  #suppression: Suppression;
  #erasedCount = 0;

  constructor(
    readonly servers: Servers,
    key: Uint8Array,
  ) {
    this.#key = key;
    this.#suppression = new Suppression(key, []);
  }

  /** The current rules. Cost: counts the erased hashes, and reads them when their number has changed. */
  async now(): Promise<Refusals> {
    const { connection, names } = this.servers;
    const erased = sql`(SELECT count() FROM ${names.all("suppressed")})`;
    const rules = sql`(SELECT groupArray((project, kept)) FROM (${rulesInForce(names)}))`;
    const [[count, columns] = [0, []]] = await connection.rows<[number, readonly RuleColumns[]]>(sql`SELECT ${erased}, ${rules}`);
    if (count !== this.#erasedCount) {
      // Of several erasures of a hash the last counts.
      const rows = await connection.rows<[string, number]>(sql`SELECT hash, erasedMs FROM ${names.all("suppressed")} ORDER BY erasedMs`);
      this.#suppression = new Suppression(this.#key, rows);
      this.#erasedCount = rows.length;
    }
    return { suppression: this.#suppression, timeToLive: new TimeToLiveRules(rulesOf(columns)) };
  }
}

/** The row as it may be stored: null where its person was erased; without its anonymous id where that was erased, but not its user. */
function admittedRow(row: EventRow, suppression: Suppression): EventRow | null {
  const [userId, anonymousId] = [String(row["userId"] ?? ""), String(row["anonymousId"] ?? "")];
  if (suppression.coversPerson(userId, anonymousId, row.ms)) return null;
  return suppression.covers("anonymousId", anonymousId, row.ms) ? { ...row, anonymousId: "" } : row;
}

function acceptedRow(row: EventRow, { suppression, timeToLive }: Refusals, nowMs: number): EventRow | EventFault {
  const admitted = admittedRow(row, suppression);
  if (admitted === null) return ERASED_EVENT;
  return (timeToLive.isEmpty ? null : timeToLive.faultOf(String(row["project"]), row.ms, nowMs)) ?? admitted;
}

/** Events converted to rows at a time: mostly what one insert holds. */
const BLOCK_ROW_COUNT = 50_000;

/** Ingests of at most this many events are stored together with others in the queue. */
const SHORT_ROW_COUNT = 50;

/** Ingests stored together: no more rows than one insert holds. */
const COALESCED_COUNT = BLOCK_ROW_COUNT / SHORT_ROW_COUNT;

const KIND_NAMES = new Map<number, string>(Object.entries(RECORD_KINDS).map(([name, kind]) => [kind, name]));

interface WriteContext extends RemovalContext {
  readonly refusals: RefusalsTable;
  readonly keepsFuture: boolean;
}

/** Stores events and records, each once, except those of erased people. */
export class Writes {
  readonly #rows = new EventRows();
  readonly #coalescer = new WriteCoalescer<PendingIngest>(COALESCED_COUNT, (group) => this.#ingestBlock(group.map((pending) => ({ pending, from: 0, events: pending.events }))));

  constructor(readonly context: WriteContext) {}

  /** @throws invalid_parameter (events is not an array), unreachable, overloaded, read_only, storage_full, closed */
  async ingest(events: unknown, project: string | null): Promise<IngestResult> {
    if (!Array.isArray(events)) throw parameterError("invalid_parameter", "events", `expected an array, got ${shown(events)}`);
    const pending: PendingIngest = { events: events.slice() as unknown[], project, accepted: 0, duplicates: 0, rejected: [], adjusted: [] };
    if (events.length <= SHORT_ROW_COUNT) await this.#coalescer.add(pending);
    else for (let from = 0; from < pending.events.length; from += BLOCK_ROW_COUNT)
      await this.#ingestBlock([{ pending, from, events: pending.events.slice(from, from + BLOCK_ROW_COUNT) }]);
    const { accepted, duplicates, rejected, adjusted } = pending;
    return { accepted, duplicates, rejected: rejected.sort((a, b) => a.index - b.index), adjusted };
  }

  async #ingestBlock(parts: readonly IngestPart[]): Promise<void> {
    const refusals = await this.context.refusals.now();
    const placed = parts.flatMap((part) => this.#rowsOf(part, refusals));
    const rows = firstOfEach(placed, ({ row }) => keyOf(row)).map(({ row }) => row);
    if (rows.length === 0) return;
    const store = (some: readonly EventRow[]) => this.#storeRows(some, this.#storeOf("events", sql`true`));
    const stored = await store(rows);
    const erased = await this.#takeBack({ table: "events", rows, stored, before: refusals, admitted: admittedRow, store });
    const fresh = new Set(stored);
    for (const { row, index, isAdjusted, pending } of placed) {
      if (erased.has(keyOf(row))) pending.rejected.push({ index, ...faultMembers(ERASED_EVENT) });
      // Of rows with one key the first was stored.
      else if (!fresh.delete(keyOf(row))) pending.duplicates += 1;
      else {
        pending.accepted += 1;
        if (isAdjusted) pending.adjusted.push({ index, createdAt: isoOf(row.ms) });
      }
    }
  }

  /** @throws invalid_parameter (records is not an array), and what ingest throws */
  async ingestRecords(records: unknown): Promise<IngestResult> {
    if (!Array.isArray(records)) throw parameterError("invalid_parameter", "records", `expected an array, got ${shown(records)}`);
    const decoded: (DecodedRecord | NamedProject)[] = [];
    const indexes: number[] = [];
    const rejected: RejectedEvent[] = [];
    records.forEach((record: unknown, index) => {
      try {
        decoded.push(decodeRecord(record, this.recordContext()));
        indexes.push(index);
      } catch (error) {
        if (!(error instanceof DaybookError)) throw error;
        rejected.push({ index, ...faultMembers(error) });
      }
    });
    const { accepted, adjusted: places, erased } = await this.#store(decoded);
    const adjusted = places.map((place) => ({ index: indexes[place] as number, createdAt: isoOf((decoded[place] as DecodedRecord).createdAtMs) }));
    for (const place of erased) rejected.push({ index: indexes[place] as number, ...faultMembers(erasedRecord()) });
    return { accepted, duplicates: decoded.length - erased.size - accepted, rejected: rejected.sort((a, b) => a.index - b.index), adjusted };
  }

  /** Stores a checked record; returns whether it is new and got the time of receipt. @throws suppressed */
  async storeRecord(record: DecodedRecord | NamedProject): Promise<boolean> {
    const { adjusted, erased } = await this.#store([record]);
    if (erased.size > 0) throw erasedRecord();
    return adjusted.length > 0;
  }

  /** Returns how many are new, the indexes of those stored with the time of receipt, and of records about a person erased after their time. */
  async #store(records: readonly (DecodedRecord | NamedProject)[]) {
    const numbered = records.flatMap((record, place) => ("project" in record ? [] : [{ record, place, id: uuidText(record.id) }]));
    const refusals = numbered.length === 0 ? null : await this.context.refusals.now();
    const admitted = (one: NumberedRecord, suppression: Suppression): NumberedRecord | null => {
      const record = suppression.admitted(one.record);
      return record === one.record ? one : record === null ? null : { ...one, record };
    };
    const given = numbered.flatMap((one) => (refusals === null ? one : (admitted(one, refusals.suppression) ?? [])));
    // An unlink has the id of the record that it takes back, so each is unique only among its own kind.
    const [unlinks, others] = [given.filter(isUnlink), given.filter((one) => !isUnlink(one))];
    const unlinked = await this.#storeRecords(unlinks, sql`kind = 'unlink'`);
    const store = (some: readonly NumberedRecord[]) => this.#storeRecords(some, sql`kind != 'unlink'`);
    const stored = await store(others);
    const late = refusals === null ? NONE : await this.#takeBack({ table: "records", rows: others, stored, before: refusals, admitted, store });
    const left = others.filter((one) => !late.has(keyOf(one)));
    const kept = new Set([...unlinks, ...left].map(({ place }) => place));
    const isFresh = (one: NumberedRecord) => (isUnlink(one) ? unlinked : stored).has(keyOf(one));
    const fresh = [...firstOfEach(unlinks, keyOf), ...firstOfEach(left, keyOf)].filter(isFresh);
    const adjusted = fresh.filter(({ record }) => record.isAdjusted).map(({ place }) => place).sort((a, b) => a - b);
    const erased = new Set(numbered.filter(({ place }) => !kept.has(place)).map(({ place }) => place));
    return { accepted: fresh.length + (await this.#storeProjects(records)), adjusted, erased };
  }

  /** Returns how many are new. */
  async #storeProjects(records: readonly (DecodedRecord | NamedProject)[]): Promise<number> {
    const projects = [...new Set(records.flatMap((record) => ("project" in record ? [record.project] : [])))];
    const known = new Set(projects.length === 0 ? [] : await this.projects());
    const fresh = projects.filter((name) => !known.has(name));
    await this.context.connection.insert("projects", fresh.map((name) => ({ name })));
    return fresh.length;
  }

  /**
   * Removes stored rows of people whose erasure another process began meanwhile: it may have read the tables too early. Rows of other people that
   * lose an erased id are stored again without it. Returns the keys of the removed rows.
   */
  async #takeBack<Row extends Key>({ table, rows, stored, before, admitted, store }: LateRows<Row>): Promise<ReadonlySet<string>> {
    const { suppression } = await this.context.refusals.now();
    if (suppression === before.suppression) return NONE;
    const changed = rows.map((row) => ({ row, left: admitted(row, suppression) })).filter(({ row, left }) => left !== row);
    const gone = changed.filter(({ left }) => left === null).map(({ row }) => row);
    // Rows that were stored before are removed by the erasure itself.
    const anew = changed.flatMap(({ left }) => (left !== null && stored.has(keyOf(left)) ? [left] : []));
    if (gone.length + anew.length === 0) return NONE;
    const notes = table === "events"
      ? [...[...gone, ...anew].map(({ id, project = "" }): Note => ["event", id, project]), ...(await yearsToRename(this.context, sql`id IN ${uuids(gone.map(({ id }) => id))}`))]
      : [...gone.map(({ id }): Note => ["record", id]), ...anew.map(({ id }): Note => ["anew", id])];
    await remove(this.context, notes);
    await store(anew);
    return new Set(gone.map(keyOf));
  }

  #storeRecords(numbered: readonly NumberedRecord[], among: Sql): Promise<ReadonlySet<string>> {
    return this.#storeRows(firstOfEach(numbered, keyOf).map(({ record }) => rowOf(record)), this.#storeOf("records", among));
  }

  /** Returns the keys that are new. */
  async #storeRows(rows: readonly RowWithId[], store: StoreOf): Promise<ReadonlySet<string>> {
    const stored = new Set<string>();
    for (const piece of piecesOf(rows, INSERT_BOUNDS)) for (const key of await storeOnce(piece, store)) stored.add(key);
    return stored;
  }

  async isRecord(linkId: string): Promise<boolean> {
    if (typeof linkId !== "string" || parseUuid(linkId) === null) return false;
    const { connection, names } = this.context;
    return await connection.hasRows(sql`SELECT 1 FROM ${names.all("records")} WHERE id = ${uuid(linkId)} AND kind != 'unlink' LIMIT 1`);
  }

  async projects(): Promise<string[]> {
    const rows = await this.context.connection.rows<[string]>(sql`SELECT DISTINCT name FROM ${this.context.names.all("projects")}`);
    return rows.map(([name]) => name);
  }

  recordContext(): RecordContext {
    return { nowMs: this.context.clock.now(), keepsFuture: this.context.keepsFuture, random: this.context.random };
  }

  #rowsOf({ pending, from, events }: IngestPart, refusals: Refusals): PlacedRow[] {
    const nowMs = this.context.clock.now();
    const context = { ...this.recordContext(), nowMs, project: pending.project };
    return events.flatMap((event, at) => {
      const decoded = this.#rows.rowOf(event, context);
      const row = decoded instanceof EventFault ? decoded : acceptedRow(decoded, refusals, nowMs);
      if (row instanceof EventFault) pending.rejected.push({ index: from + at, ...faultMembers(row) });
      return row instanceof EventFault ? [] : [{ row, index: from + at, isAdjusted: this.#rows.isAdjusted, pending }];
    });
  }

  #storeOf(table: "events" | "records", among: Sql): StoreOf {
    const { clock, ...context } = this.context;
    return { ...context, table, among, nowMs: clock.now() };
  }
}

const NONE: ReadonlySet<string> = new Set();

interface NumberedRecord {
  readonly record: DecodedRecord;
  readonly place: number;
  readonly id: string;
}

function isUnlink({ record }: NumberedRecord): boolean {
  return record.kind === RECORD_KINDS.unlink;
}

type Key = Parameters<typeof keyOf>[0];

interface LateRows<Row> {
  readonly table: "events" | "records";
  readonly rows: readonly Row[];
  readonly stored: ReadonlySet<string>;
  readonly before: Refusals;
  /** What may remain of a row: the row itself where all of it may, null for nothing. */
  readonly admitted: (row: Row, suppression: Suppression) => Row | null;
  readonly store: (rows: readonly Row[]) => Promise<unknown>;
}

interface PendingIngest {
  readonly events: readonly unknown[];
  readonly project: string | null;
  accepted: number;
  duplicates: number;
  readonly rejected: RejectedEvent[];
  readonly adjusted: AdjustedEvent[];
}

interface IngestPart {
  readonly pending: PendingIngest;
  readonly from: number;
  readonly events: readonly unknown[];
}

interface PlacedRow {
  readonly row: EventRow;
  readonly index: number;
  readonly pending: PendingIngest;
  readonly isAdjusted: boolean;
}

function faultMembers({ code, message }: EventFault | DaybookError): Pick<RejectedEvent, "code" | "message"> {
  return { code, message };
}

function firstOfEach<T>(all: readonly T[], of: (one: T) => string): T[] {
  const byKey = new Map<string, T>();
  for (const one of all) if (!byKey.has(of(one))) byKey.set(of(one), one);
  return [...byKey.values()];
}

function rowOf({ kind, id, createdAtMs, texts }: DecodedRecord): RowWithId {
  return { ...texts, kind: KIND_NAMES.get(kind), id: uuidText(id), ms: createdAtMs };
}
