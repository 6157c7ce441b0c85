import type { Clock } from "../../base/clock.js";
import { DaybookError, parameterError, shown } from "../../base/errors.js";
import { parseUuid, uuidText } from "../../base/uuid.js";
import { RECORD_KINDS } from "../../identity/record-table.js";
import { decodeRecord, type DecodedRecord, type NamedProject, type RecordContext } from "../../identity/decode-record.js";
import type { IngestResult, RejectedEvent } from "../../schema/event.js";
import { EventFault } from "../../schema/decode-event.js";
import type { Connection } from "../connection/connection.js";
import { sql, uuid, type Sql } from "../sql/sql.js";
import type { TableNames } from "../tables/names.js";
import { EventRows, type EventRow } from "./event-rows.js";
import { storeOnce, type RowWithId, type StoreOf } from "./stored-once.js";

/** Events of one insert: what a block of ClickHouse holds, and a request can carry. */
const BLOCK_ROW_COUNT = 50_000;

const KIND_NAMES = new Map<number, string>(Object.entries(RECORD_KINDS).map(([name, kind]) => [kind, name]));

/** What writing needs beside what is written. */
export interface WriteContext {
  readonly connection: Connection;
  readonly names: TableNames;
  readonly cluster: string | null;
  readonly clock: Clock;
  readonly random: (bytes: Uint8Array) => void;
}

/** Stores events and records, each once. */
export class Writes {
  readonly #rows = new EventRows();

  constructor(readonly context: WriteContext) {}

  /** @throws invalid_parameter (events is not an array), unreachable, overloaded, read_only, storage_full, closed */
  async ingest(events: unknown, project: string | null): Promise<IngestResult> {
    if (!Array.isArray(events)) throw parameterError("invalid_parameter", "events", `expected an array, got ${shown(events)}`);
    const rejected: RejectedEvent[] = [];
    let [accepted, duplicates] = [0, 0];
    const all: readonly unknown[] = events.slice();
    for (let from = 0; from < all.length; from += BLOCK_ROW_COUNT) {
      const block = all.slice(from, from + BLOCK_ROW_COUNT);
      const rows = this.#rowsOf(block, from, project, rejected);
      const distinct = firstOfEach(rows);
      const stored = distinct.length === 0 ? 0 : (await storeOnce(distinct, this.#storeOf("events", sql`true`))).size;
      accepted += stored;
      duplicates += rows.length - stored;
    }
    return { accepted, duplicates, rejected };
  }

  /** @throws invalid_parameter (records is not an array), and what ingest throws */
  async ingestRecords(records: unknown): Promise<IngestResult> {
    if (!Array.isArray(records)) throw parameterError("invalid_parameter", "records", `expected an array, got ${shown(records)}`);
    const decoded: (DecodedRecord | NamedProject)[] = [];
    const rejected: RejectedEvent[] = [];
    records.forEach((record: unknown, index) => {
      try {
        decoded.push(decodeRecord(record, this.recordContext()));
      } catch (error) {
        if (!(error instanceof DaybookError)) throw error;
        rejected.push({ index, code: error.code, message: error.message });
      }
    });
    const accepted = await this.store(decoded);
    return { accepted, duplicates: decoded.length - accepted, rejected };
  }

  /** Stores checked records; answers how many of them were new. */
  async store(records: readonly (DecodedRecord | NamedProject)[]): Promise<number> {
    const rows = records.flatMap((record) => ("project" in record ? [] : [rowOf(record)]));
    const projects = [...new Set(records.flatMap((record) => ("project" in record ? [record.project] : [])))];
    // An unlink bears the id of the record that it takes back.
    const unlinks = await this.#storeRecords(rows.filter(({ kind }) => kind === "unlink"), sql`kind = 'unlink'`);
    const others = await this.#storeRecords(rows.filter(({ kind }) => kind !== "unlink"), sql`kind != 'unlink'`);
    const known = new Set(projects.length === 0 ? [] : await this.projects());
    const fresh = projects.filter((name) => !known.has(name));
    await this.context.connection.insert("projects", fresh.map((name) => ({ name })));
    return unlinks + others + fresh.length;
  }

  async #storeRecords(rows: readonly RowWithId[], among: Sql): Promise<number> {
    return rows.length === 0 ? 0 : (await storeOnce(firstOfEach(rows), this.#storeOf("records", among))).size;
  }

  /** Whether there is a record of an id that can be taken back. */
  async isRecord(linkId: string): Promise<boolean> {
    if (typeof linkId !== "string" || parseUuid(linkId) === null) return false;
    const { connection, names } = this.context;
    const rows = await connection.rows(sql`SELECT 1 FROM ${names.all("records")} WHERE id = ${uuid(linkId)} AND kind != 'unlink' LIMIT 1`);
    return rows.length > 0;
  }

  /** Names of projects that events or calls brought. */
  async projects(): Promise<string[]> {
    const rows = await this.context.connection.rows<[string]>(sql`SELECT DISTINCT name FROM ${this.context.names.all("projects")}`);
    return rows.map(([name]) => name);
  }

  recordContext(): RecordContext {
    return { nowMs: this.context.clock.now(), random: this.context.random };
  }

  #rowsOf(events: readonly unknown[], firstIndex: number, project: string | null, rejected: RejectedEvent[]): EventRow[] {
    const context = { nowMs: this.context.clock.now(), project, random: this.context.random };
    return events.flatMap((event, at) => {
      const row = this.#rows.rowOf(event, context);
      if (!(row instanceof EventFault)) return [row];
      rejected.push({ index: firstIndex + at, code: row.code, message: row.message });
      return [];
    });
  }

  #storeOf(table: "events" | "records", among: Sql): StoreOf {
    const { connection, names, cluster, clock, random } = this.context;
    return { connection, names, cluster, table, among, nowMs: clock.now(), random };
  }
}

/** Of rows with one id the first. */
function firstOfEach<Row extends RowWithId>(rows: readonly Row[]): Row[] {
  const byId = new Map<string, Row>();
  for (const row of rows) if (!byId.has(row.id)) byId.set(row.id, row);
  return [...byId.values()];
}

function rowOf({ kind, id, createdAtMs, texts }: DecodedRecord): RowWithId {
  return { ...texts, kind: KIND_NAMES.get(kind), id: uuidText(id), ms: createdAtMs };
}
