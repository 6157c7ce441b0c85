import { ERASED_EVENT, Suppression, TimeToLiveRules } from "../../engine/ingest/suppression.js";
import type { EventFault } from "../../core/schema/decode-event.js";
import { rulesInForce, rulesOf, type RuleColumns } from "../removal/time-to-live.js";
import { sql } from "../sql/sql.js";
import type { Servers } from "../tables/change.js";
import type { EventRow } from "./event-rows.js";

/** A snapshot of the rules that refuse valid events. */
export interface Refusals {
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
export function admittedRow(row: EventRow, suppression: Suppression): EventRow | null {
  const [userId, anonymousId] = [String(row["userId"] ?? ""), String(row["anonymousId"] ?? "")];
  if (suppression.coversPerson(userId, anonymousId, row.ms)) return null;
  return suppression.covers("anonymousId", anonymousId, row.ms) ? { ...row, anonymousId: "" } : row;
}

/** The row as it may be stored, or why it is refused. */
export function acceptedRow(row: EventRow, { suppression, timeToLive }: Refusals, nowMs: number): EventRow | EventFault {
  const admitted = admittedRow(row, suppression);
  if (admitted === null) return ERASED_EVENT;
  return (timeToLive.isEmpty ? null : timeToLive.faultOf(String(row["project"]), row.ms, nowMs)) ?? admitted;
}
