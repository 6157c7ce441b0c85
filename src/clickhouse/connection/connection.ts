import { DaybookError } from "../../base/errors.js";
import { statementOf, type Sql } from "../sql/sql.js";
import type { ClickHouseClient } from "./client.js";
import { errorOf } from "./errors.js";
import { heardSignal, type HeardSignal } from "./heard-signal.js";

/** What every statement runs under, whatever the profile of the user says: an answer is whole and exact, or an error. */
const SETTINGS = {
  skip_unavailable_shards: 0,
  distributed_product_mode: "deny",
  distributed_foreground_insert: 1,
  // A row goes where its key says, and not to the shard that it was read on.
  parallel_distributed_insert_select: 0,
  max_partitions_per_insert_block: 0,
  // A shard gets bound values as text: the ids of a block of events are some megabytes.
  max_query_size: 268_435_456,
  join_use_nulls: 0,
  transform_null_in: 0,
  precise_float_parsing: 1,
  use_query_cache: 0,
  async_insert: 0,
  output_format_json_quote_64bit_integers: 0,
  output_format_json_quote_decimals: 1,
  output_format_json_quote_denormals: 1,
  // Else an error behind the first rows is a row.
  http_write_exception_in_output_format: 0,
} as const;

/** Of statements that only read: one that nobody waits for any more ends on the server too, and the server wants to know that it only reads. */
const READING = { ...SETTINGS, readonly: 2, cancel_http_readonly_queries_on_client_close: 1 } as const;

/** Sends statements, and turns what goes wrong into errors of Daybook. */
export class Connection {
  #isClosed = false;

  /**
   * @param client of the database
   * @param definer runs what makes the database itself
   */
  constructor(
    readonly client: ClickHouseClient,
    readonly definer: ClickHouseClient,
  ) {}

  /** Rows as lists of their columns. @throws aborted, unreachable, query_timeout, overloaded, manifest_missing, closed, internal */
  async rows<Row extends readonly unknown[]>(statement: Sql, signal?: Pick<AbortSignal, "aborted">): Promise<Row[]> {
    const heard = heardSignal(signal);
    try {
      return await this.#attempt(signal, async () => (await (await this.#query(statement, heard)).json()) as Row[]);
    } finally {
      heard.end();
    }
  }

  /** The same, as they come: a block in memory at a time. */
  async *stream<Row extends readonly unknown[]>(statement: Sql, signal?: Pick<AbortSignal, "aborted">): AsyncGenerator<Row> {
    const heard = heardSignal(signal);
    try {
      const result = await this.#attempt(signal, () => this.#query(statement, heard));
      for await (const block of result.stream()) {
        if (signal?.aborted === true) throw new DaybookError("aborted", "the question was given up");
        for (const row of block) yield row.json() as Row;
      }
    } catch (error) {
      throw errorOf(error, signal);
    } finally {
      heard.end();
    }
  }

  /** Stores rows; settled once every shard that has some has them. @param token the same rows under the same token are stored once */
  async insert(table: string, rows: readonly object[], token?: string): Promise<void> {
    if (rows.length === 0) return;
    // What the views make is made again with rows that are there already: whoever inserted these may have failed before.
    const once = { insert_deduplicate: 1, insert_deduplication_token: token ?? "", deduplicate_blocks_in_dependent_materialized_views: 1 };
    const settings = token === undefined ? SETTINGS : { ...SETTINGS, ...once };
    await this.#attempt(undefined, () => this.client.insert({ table, values: rows, format: "JSONEachRow", clickhouse_settings: settings }));
  }

  /** Runs what answers nothing. */
  async command(statement: Sql): Promise<void> {
    const { query, params } = statementOf(statement);
    await this.#attempt(undefined, () => this.client.command({ query, query_params: params, clickhouse_settings: SETTINGS }));
  }

  /** Runs a statement that makes the database or a table. */
  async define(statement: string): Promise<void> {
    await this.#attempt(undefined, () => this.definer.command({ query: statement }));
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await Promise.all([this.client.close(), this.definer.close()]);
  }

  #query(statement: Sql, { signal }: HeardSignal) {
    const { query, params } = statementOf(statement);
    return this.client.query({
      query,
      format: "JSONCompactEachRow",
      query_params: params,
      // Parameters may be longer than an address.
      use_multipart_params: true,
      clickhouse_settings: READING,
      ...(signal === undefined ? {} : { abort_signal: signal }),
    });
  }

  async #attempt<T>(signal: Pick<AbortSignal, "aborted"> | undefined, run: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new DaybookError("closed", "this Daybook was closed");
    if (signal?.aborted === true) throw new DaybookError("aborted", "the question was given up");
    try {
      return await run();
    } catch (error) {
      throw errorOf(error, signal);
    }
  }
}
