import { DaybookError } from "../../base/errors.js";
import { sql, statementOf, type Sql } from "../sql/sql.js";
import type { ClickHouseClient, Clients } from "./client.js";
import { sendingOf } from "./sending.js";
import { errorOf, type Doing } from "./errors.js";
import { HeardSignal } from "./heard-signal.js";
import { Reach } from "./reach.js";
import { READING, SETTINGS, settingsOfReplicas, UNBOUNDED, type Settings } from "./settings.js";
import { isTurnOfOthers, TURN_MS, untilNextTurn } from "./turns.js";
import { watched } from "./watch.js";

/** Where statements go. */
export interface Place {
  /** Null: one server. */
  readonly cluster: string | null;
  /** Servers that hold the rows of each shard. */
  readonly replicaCount: number;
  /** From one look to the next at whether the servers are there, while one statement takes long. */
  readonly lookMs: number;
}

/** Sends statements, and turns what goes wrong into errors of Daybook. */
export class Connection {
  readonly #settings: Settings;

  /**
   * @param shared with other connections by the same clients: closing one of them closes all
   * @param own what each statement is sent with beside what all are
   */
  constructor(
    readonly clients: Clients,
    readonly place: Place,
    readonly shared = { isClosed: false, reach: new Reach() },
    readonly own: Settings = {},
  ) {
    const { replicaCount } = place;
    this.#settings = { ...SETTINGS, ...settingsOfReplicas(replicaCount, Math.floor(replicaCount / 2) + 1), ...own };
  }

  /** The same to servers of which so many hold the rows of each shard. */
  ofReplicas(replicaCount: number): Connection {
    return new Connection(this.clients, { ...this.place, replicaCount }, this.shared, this.own);
  }

  /** The same for statements that take as long as they take. */
  patient(): Connection {
    return new Connection({ ...this.clients, usual: this.clients.patient }, this.place, this.shared, UNBOUNDED);
  }

  /** Whether the servers answer, known within about a second. @param small a statement that reads what any question needs */
  async health(small: Sql): Promise<"ok" | "unreachable" | "closed"> {
    if (this.shared.isClosed) return "closed";
    return (await this.shared.reach.isThere((signal) => this.#isAnswered(small, signal))) ? "ok" : "unreachable";
  }

  /** Rows of tables of the system, whether or not the database is there. @throws as rows */
  async systemRows<Row extends readonly unknown[]>(statement: Sql): Promise<Row[]> {
    return await this.#attempt("reads", undefined, async () => (await (await this.#query(this.clients.definer, statement)).json()) as Row[]);
  }

  /** Rows as lists of their columns. @throws aborted, unreachable, query_timeout, overloaded, not_supported, manifest_missing, closed, internal */
  async rows<Row extends readonly unknown[]>(statement: Sql, signal?: Pick<AbortSignal, "aborted">): Promise<Row[]> {
    const heard = new HeardSignal(signal);
    try {
      return await this.#attempt("reads", signal, async () => (await (await this.#query(this.clients.usual, statement, heard)).json()) as Row[]);
    } finally {
      heard.end();
    }
  }

  /** Rows of a statement that servers do not take for one that only reads, for as long as it takes. @throws as rows */
  async checkRows<Row extends readonly unknown[]>(statement: Sql): Promise<Row[]> {
    const check = () => this.#query(this.clients.patient, statement, undefined, { ...UNBOUNDED, readonly: 0, check_query_single_value_result: 0 });
    return await this.#attempt("reads", undefined, async () => (await (await check()).json()) as Row[]);
  }

  /** The same, as they come: a block in memory at a time. */
  stream<Row extends readonly unknown[]>(statement: Sql, signal?: Pick<AbortSignal, "aborted">): AsyncGenerator<Row> {
    return this.#stream(statement, signal, {});
  }

  /** The same of any number, as long as they come: it has no bound of time but that of a connection on which nothing comes. */
  streamAll<Row extends readonly unknown[]>(statement: Sql, signal?: Pick<AbortSignal, "aborted">): AsyncGenerator<Row> {
    return this.#stream(statement, signal, UNBOUNDED);
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
    await (token === undefined ? this.#inTurn(insert) : this.#attempt("writes", undefined, insert));
  }

  /** Stores rows; settled once every replica has them. */
  async insertOnAll(table: string, rows: readonly object[]): Promise<void> {
    const { replicaCount } = this.place;
    const settings = { ...SETTINGS, ...settingsOfReplicas(replicaCount, replicaCount), ...this.own };
    await this.#inTurn(() => this.#insert(table, rows, settings));
  }

  /** Runs what changes rows and answers nothing, for as long as it takes and all servers are there. */
  async command(statement: Sql): Promise<void> {
    const { cluster, lookMs } = this.place;
    const { query, params } = statementOf(statement);
    const asked = { query, query_params: params, clickhouse_settings: { ...this.#settings, ...UNBOUNDED } };
    const servers = cluster === null ? sql`system.one` : sql`clusterAllReplicas(${{ type: "Identifier", value: cluster }}, system.one)`;
    const areThere = () => this.#isAnswered(sql`SELECT count() FROM ${servers}`, AbortSignal.timeout(lookMs));
    await this.#inTurn(() => watched((abort_signal) => this.clients.patient.command({ ...asked, abort_signal }), areThere, lookMs));
  }

  /** Runs a statement that makes the database or a table. */
  async define(statement: string): Promise<void> {
    await this.#attempt("writes", undefined, () => this.clients.definer.command({ query: statement }));
  }

  async close(): Promise<void> {
    if (this.shared.isClosed) return;
    this.shared.isClosed = true;
    await Promise.all([...new Set(Object.values(this.clients))].map((client: ClickHouseClient) => client.close()));
  }

  #insert(table: string, values: readonly object[], settings: Settings) {
    return this.clients.usual.insert({ table, values, format: "JSONEachRow", clickhouse_settings: settings });
  }

  async *#stream<Row>(statement: Sql, signal: Pick<AbortSignal, "aborted"> | undefined, settings: Settings): AsyncGenerator<Row> {
    const heard = new HeardSignal(signal);
    try {
      const result = await this.#attempt("reads", signal, () => this.#query(this.clients.usual, statement, heard, settings));
      for await (const block of result.stream()) {
        if (signal?.aborted === true) throw new DaybookError("aborted", "the question was given up");
        for (const row of block) yield row.json() as Row;
      }
    } catch (error) {
      throw this.#told(errorOf(error, signal, "reads"));
    } finally {
      heard.end();
    }
  }

  async #query(client: ClickHouseClient, statement: Sql, heard = new HeardSignal(undefined), settings: Settings = {}) {
    const { query, params } = statementOf(statement);
    const { signal } = heard;
    const answer = await client.query({
      query,
      format: "JSONCompactEachRow",
      query_params: params,
      use_multipart_params: sendingOf(query, params) === "form",
      // A client that is told to see to it by itself would make a form of what is to be none.
      use_multipart_params_auto: false,
      clickhouse_settings: { ...this.#settings, ...READING, ...settings },
      ...(signal === undefined ? {} : { abort_signal: signal }),
    });
    heard.closes(answer);
    return answer;
  }

  /** Whether there is an answer, be it that there is too much to do. */
  async #isAnswered(statement: Sql, signal: AbortSignal): Promise<boolean> {
    try {
      await this.rows(statement, signal);
      return true;
    } catch (error) {
      return error instanceof DaybookError && error.code === "overloaded";
    }
  }

  /** Tries again while another insert of the table is under way. What is written must mean the same when it is there twice. */
  async #inTurn(run: () => Promise<unknown>): Promise<void> {
    const endMs = performance.now() + TURN_MS;
    for (;;) {
      try {
        await this.#attempt("writes", undefined, run);
        return;
      } catch (error) {
        if (!isTurnOfOthers(error) || performance.now() > endMs) throw error;
      }
      await untilNextTurn();
    }
  }

  async #attempt<T>(doing: Doing, signal: Pick<AbortSignal, "aborted"> | undefined, run: () => Promise<T>): Promise<T> {
    if (this.shared.isClosed) throw new DaybookError("closed", "this Daybook was closed");
    if (signal?.aborted === true) throw new DaybookError("aborted", "the question was given up");
    try {
      const result = await run();
      this.shared.reach.told(true);
      return result;
    } catch (error) {
      throw this.#told(errorOf(error, signal, doing));
    }
  }

  #told(error: DaybookError): DaybookError {
    if (error.code === "unreachable") this.shared.reach.told(false);
    return error;
  }
}
