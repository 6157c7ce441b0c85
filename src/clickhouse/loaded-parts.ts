import type { Connection } from "./connection/connection.js";
import { sql, text } from "./sql/sql.js";
import type { TableNames } from "./tables/layout.js";

const PREFIX = "loaded ";

/** Parts of an embedded store that were loaded completely, and what each held: rows of table `kept`, written after the last event of a part. */
export class LoadedParts {
  constructor(
    readonly connection: Connection,
    readonly tables: TableNames,
  ) {}

  async known(): Promise<ReadonlyMap<string, string>> {
    const kept = sql`FROM ${this.tables.all("kept")} WHERE startsWith(name, ${text(PREFIX)})`;
    const rows = await this.connection.rows<[string, string]>(sql`SELECT name, argMax(value, storedMs) ${kept} GROUP BY name`);
    return new Map(rows.map(([name, value]) => [name.slice(PREFIX.length), value]));
  }

  async add(part: string, held: string): Promise<void> {
    await this.connection.insert("kept", [{ name: `${PREFIX}${part}`, value: held }]);
  }
}
