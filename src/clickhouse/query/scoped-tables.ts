import type { QueryScope } from "../../query/plan/plan.js";
import { allOf, joined, name, NO_ID, sql, type Sql } from "../sql/sql.js";
import { columnTypes, TABLES, TableNames } from "../tables/layout.js";
import { RequiredJoins, type QueryContext } from "./required-joins.js";
import { whereOf } from "./where.js";

const COLUMNS = TABLES.filter((table) => table.name === "events").flatMap((table) => [...columnTypes(table).keys()]);

/**
 * The tables of a store that holds only events which fulfil some conditions, and all records. Each shard selects its events, and sends the columns
 * that a statement uses; what follows runs on one server.
 */
export class ScopedTables extends TableNames {
  /** @param whole the store as a whole, by which companies of events are known */
  constructor(
    readonly whole: QueryContext,
    readonly conditions: readonly QueryScope[],
  ) {
    super(whole.tables.database, null);
  }

  override all(table: string): Sql {
    if (table === "events") return sql`(${this.#events()})`;
    return table === "links" ? sql`(${this.#links()})` : super.all(table);
  }

  override ofShard(table: string): Sql {
    return this.all(table);
  }

  #events(): Sql {
    const needs = new RequiredJoins(this.whole);
    const where = allOf(this.conditions.map((condition) => whereOf(condition, null, needs)));
    return sql`SELECT ${joined(COLUMNS.map((column) => name(column)), ", ")} FROM ${needs.rows()} WHERE ${where}`;
  }

  #links(): Sql {
    const ofEvents = sql`SELECT anonymousId, userId, ${NO_ID} AS record, min(ms) AS firstMs FROM ${this.all("events")}
      WHERE anonymousId != '' AND userId != '' GROUP BY anonymousId, userId`;
    const ofRecords = sql`SELECT anonymousId, userId, record, firstMs FROM ${super.all("links")} WHERE record != ${NO_ID}`;
    return sql`${ofEvents} UNION ALL ${ofRecords}`;
  }
}
