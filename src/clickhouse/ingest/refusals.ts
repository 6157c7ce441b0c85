import { ERASED_EVENT, Suppression } from "../../engine/ingest/suppression.js";
import { TimeToLiveRules } from "../../engine/ingest/time-to-live-rules.js";
import type { EventFault } from "../../schema/decode-event.js";
import { rulesInForce, rulesOf, type RuleColumns } from "../removal/rules-table.js";
import { sql } from "../sql/sql.js";
import type { Servers } from "../tables/change.js";
import type { EventRow } from "./event-rows.js";

/** What was refused at one moment, though nothing is wrong with it. */
export interface Refusals {
  /** Of everybody who was erased by then. */
  readonly suppression: Suppression;
  readonly timeToLive: TimeToLiveRules;
}

/** Knows who was erased, by whatever process, and for how long events are kept. */
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

  /** As of now. Cost: a look at the number of the erased, and their hashes once there are others. */
  async now(): Promise<Refusals> {
    const { connection, names } = this.servers;
    const erased = sql`(SELECT count() FROM ${names.all("suppressed")})`;
    const rules = sql`(SELECT groupArray((project, kept)) FROM (${rulesInForce(names)}))`;
    const [[count, columns] = [0, []]] = await connection.rows<[number, readonly RuleColumns[]]>(sql`SELECT ${erased}, ${rules}`);
    if (count !== this.#erasedCount) {
      // Of several the last one holds.
      const rows = await connection.rows<[string, number]>(sql`SELECT hash, erasedMs FROM ${names.all("suppressed")} ORDER BY erasedMs`);
      this.#suppression = new Suppression(this.#key, rows);
      this.#erasedCount = rows.length;
    }
    return { suppression: this.#suppression, timeToLive: new TimeToLiveRules(rulesOf(columns)) };
  }
}

/** A row as it may be stored: null where it is of somebody who was erased; without their device where it is of somebody else. */
export function admittedRow(row: EventRow, suppression: Suppression): EventRow | null {
  const [userId, anonymousId] = [String(row["userId"] ?? ""), String(row["anonymousId"] ?? "")];
  if (suppression.coversPerson(userId, anonymousId, row.ms)) return null;
  return suppression.covers("anonymousId", anonymousId, row.ms) ? { ...row, anonymousId: "" } : row;
}

/** A row as it may be stored, or why it is not taken. */
export function taken(row: EventRow, { suppression, timeToLive }: Refusals, nowMs: number): EventRow | EventFault {
  const admitted = admittedRow(row, suppression);
  if (admitted === null) return ERASED_EVENT;
  return (timeToLive.isEmpty ? null : timeToLive.faultOf(String(row["project"]), row.ms, nowMs)) ?? admitted;
}
