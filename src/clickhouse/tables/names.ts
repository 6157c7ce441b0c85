import { sql, name, type Sql } from "../sql/sql.js";

/** What tables are called: on a cluster each is there twice, the rows of a shard and all of them. */
export class TableNames {
  constructor(readonly isCluster: boolean) {}

  /** All rows. */
  all(table: string): Sql {
    return sql`${name(table)}`;
  }

  /** The rows of the shard that a part of a statement runs on. */
  ofShard(table: string): Sql {
    return sql`${name(this.isCluster ? `${table}_local` : table)}`;
  }
}
