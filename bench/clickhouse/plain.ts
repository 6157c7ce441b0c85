import { dialectOf, rowText, types } from "../peers/chdb.js";
import { columns } from "../peers/columns.js";
import { boundsMs, type Peer } from "../peers/peer.js";
import type { Sql } from "../dialect.js";
import type { TrafficEvent } from "../traffic.js";

/** One flat table for SQL written by hand. Which rows it has is known in advance: every key of metadata is a column. */
const TABLE = "plain.events";

/** As the SQL is written to be read. */
const SETTINGS = { join_use_nulls: "1", prefer_column_name_to_alias: "1" };

/** Sends statements, without any client. */
export class Plain {
  constructor(readonly url: string) {}

  async run(statement: string, members: Readonly<Record<string, string>> = {}, body?: string): Promise<string> {
    const query = body === undefined ? {} : { query: `${statement}\n` };
    const address = `${this.url}/?${new URLSearchParams({ ...SETTINGS, ...members, ...query }).toString()}`;
    const answer = await fetch(address, { method: "POST", body: body ?? statement });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${text.slice(0, 500)}, of ${statement}`);
    return text;
  }

  async make(): Promise<void> {
    const definitions = columns.map(({ name, kind }) => `${name} ${types[kind]}`).join(", ");
    await this.run("CREATE DATABASE IF NOT EXISTS plain");
    await this.run(`CREATE TABLE IF NOT EXISTS ${TABLE} (${definitions}) ENGINE = MergeTree ORDER BY (toDate(created_at), name, created_at)
      SETTINGS allow_nullable_key = 1`);
  }

  async insert(events: readonly TrafficEvent[]): Promise<void> {
    await this.run(`INSERT INTO ${TABLE} FORMAT JSONCompactEachRow`, {}, events.map(rowText).join("\n"));
  }

  /** @param form the engine in whose form a query is asked */
  peer(dialect = dialectOf(TABLE), form: keyof Sql = "clickhouse"): Peer {
    const seconds = (ms: number) => (ms / 1_000).toFixed(3);
    return {
      name: "plain",
      engine: "plain",
      run: async (query, window) => {
        const { fromMs, toMs } = boundsMs(window);
        const bound = { param_from: seconds(fromMs), param_to: seconds(toMs) };
        const answer = await this.run(`${query.sql[form](dialect)} FORMAT JSONCompactColumns`, bound);
        return JSON.parse(answer) as (string | number | boolean | null)[][];
      },
    };
  }
}
