import { sql, name, type Sql } from "../sql/sql.js";

/** Names of tables: on a cluster each table exists twice, with the rows of a shard and with all of them. */
export class TableNames {
  constructor(readonly isCluster: boolean) {}

  /** All rows. */
  all(table: string): Sql {
    return sql`${name(table)}`;
  }

  /** The rows of the shard that the part of a statement runs on. */
  ofShard(table: string): Sql {
    return sql`${name(this.isCluster ? `${table}_local` : table)}`;
  }
}
