import { DaybookError } from "../../base/errors.js";
import { statementOf, type Sql } from "../sql/sql.js";
import type { ClickHouseClient } from "./client.js";
import { sendingOf } from "./sending.js";
import { errorOf } from "./errors.js";
import { heardSignal, type HeardSignal } from "./heard-signal.js";
import { READING, SETTINGS, settingsOfReplicas, type Settings } from "./settings.js";
import { isTurnOfOthers, TURN_MS, untilNextTurn } from "./turns.js";

/** Sends statements, and turns what goes wrong into errors of Daybook. */
export class Connection {
  readonly #settings: Settings;
  #isClosed = false;

  /**
   * @param client of the database
   * @param definer runs what makes the database itself
   * @param replicaCount servers that hold the rows of each shard
   */
  constructor(
    readonly client: ClickHouseClient,
    readonly definer: ClickHouseClient,
    readonly replicaCount = 1,
  ) {
    this.#settings = { ...SETTINGS, ...settingsOfReplicas(replicaCount, Math.floor(replicaCount / 2) + 1) };
  }

  /** The same to servers of which so many hold the rows of each shard. Closing one of the two closes both. */
  ofReplicas(count: number): Connection {
    return new Connection(this.client, this.definer, count);
  }

  /** Rows of tables of the system, whether or not the database is there. @throws as rows */
  async systemRows<Row extends readonly unknown[]>(statement: Sql): Promise<Row[]> {
    return await this.#attempt(undefined, async () => (await (await this.#query(this.definer, statement, { signal: undefined })).json()) as Row[]);
  }

  /** Rows as lists of their columns. @throws aborted, unreachable, query_timeout, overloaded, manifest_missing, closed, internal */
  async rows<Row extends readonly unknown[]>(statement: Sql, signal?: Pick<AbortSignal, "aborted">): Promise<Row[]> {
    const heard = heardSignal(signal);
    try {
      return await this.#attempt(signal, async () => (await (await this.#query(this.client, statement, heard)).json()) as Row[]);
    } finally {
      heard.end();
    }
  }

  /** The same, as they come: a block in memory at a time. */
  async *stream<Row extends readonly unknown[]>(statement: Sql, signal?: Pick<AbortSignal, "aborted">): AsyncGenerator<Row> {
    const heard = heardSignal(signal);
    try {
      const result = await this.#attempt(signal, () => this.#query(this.client, statement, heard));
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

  /**
   * Stores rows; settled once every shard that has some has them.
   * @param token the same rows under the same token are stored once; such an insert does not wait for its turn, see `isTurnOfOthers`
   */
  async insert(table: string, rows: readonly object[], token?: string): Promise<void> {
    if (rows.length === 0) return;
    // What the views make is made again with rows that are there already: whoever inserted these may have failed before.
    const once = { insert_deduplicate: 1, insert_deduplication_token: token ?? "", deduplicate_blocks_in_dependent_materialized_views: 1 };
    const insert = () => this.#insert(table, rows, token === undefined ? this.#settings : { ...this.#settings, ...once });
    await (token === undefined ? this.#inTurn(insert) : this.#attempt(undefined, insert));
  }

  /** Stores rows; settled once every replica has them. */
  async insertOnAll(table: string, rows: readonly object[]): Promise<void> {
    const settings = { ...SETTINGS, ...settingsOfReplicas(this.replicaCount, this.replicaCount) };
    await this.#inTurn(() => this.#insert(table, rows, settings));
  }

  /** Runs what answers nothing. */
  async command(statement: Sql): Promise<void> {
    const { query, params } = statementOf(statement);
    await this.#inTurn(() => this.client.command({ query, query_params: params, clickhouse_settings: this.#settings }));
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

  #insert(table: string, values: readonly object[], settings: Settings) {
    return this.client.insert({ table, values, format: "JSONEachRow", clickhouse_settings: settings });
  }

  #query(client: ClickHouseClient, statement: Sql, { signal }: Pick<HeardSignal, "signal">) {
    const { query, params } = statementOf(statement);
    return client.query({
      query,
      format: "JSONCompactEachRow",
      query_params: params,
      use_multipart_params: sendingOf(query, params) === "form",
      // A client that is told to see to it by itself would make a form of what is to be none.
      use_multipart_params_auto: false,
      clickhouse_settings: { ...this.#settings, ...READING },
      ...(signal === undefined ? {} : { abort_signal: signal }),
    });
  }

  /** Tries again while another insert of the table is under way. What is written must mean the same when it is there twice. */
  async #inTurn(run: () => Promise<unknown>): Promise<void> {
    const endMs = performance.now() + TURN_MS;
    for (;;) {
      try {
        await this.#attempt(undefined, run);
        return;
      } catch (error) {
        if (!isTurnOfOthers(error) || performance.now() > endMs) throw error;
      }
      await untilNextTurn();
    }
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
