import { DaybookError } from "../../base/errors.js";
import { sql, statementOf, type Sql } from "../sql/sql.js";
import type { ClickHouseClient, Clients } from "./client.js";
import { CODES } from "./codes.js";
import { errorOf, isOfNumber, type Doing } from "./errors.js";
import { HeardSignal } from "./heard-signal.js";
import { Reach, type Outcome } from "./reach.js";
import { sendingOf } from "./sending.js";
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
   * @param isPatient whether each statement takes as long as it takes and all servers are there
   */
  constructor(
    readonly clients: Clients,
    readonly place: Place,
    readonly shared = { isClosed: false, reach: new Reach(), outCount: 0 },
    readonly isPatient = false,
  ) {
    this.#settings = this.#settingsOf(Math.floor(place.replicaCount / 2) + 1);
  }

  /** The same to servers of which so many hold the rows of each shard. */
  ofReplicas(replicaCount: number): Connection {
    return new Connection(this.clients, { ...this.place, replicaCount }, this.shared, this.isPatient);
  }

  /** The same for statements that take as long as they take and all servers are there. */
  patient(): Connection {
    return new Connection(this.clients, this.place, this.shared, true);
  }

  /** Whether the servers answer, known within about a second. @param small a statement that reads what any question needs */
  async health(small: Sql): Promise<"ok" | "unreachable" | "closed"> {
    if (this.shared.isClosed) return "closed";
    return (await this.shared.reach.isThere((signal) => this.#look(small, signal))) ? "ok" : "unreachable";
  }

  /** Rows of tables of the system, whether or not the database is there. @throws as rows */
  async systemRows<Row extends readonly unknown[]>(statement: Sql): Promise<Row[]> {
    return await this.#attempt("reads", undefined, () => this.#read<Row>(this.clients.definer, statement, []));
  }

  /** Rows as lists of their columns. @throws aborted, unreachable, query_timeout, overloaded, not_supported, manifest_missing, closed, internal */
  async rows<Row extends readonly unknown[]>(statement: Sql, signal?: Pick<AbortSignal, "aborted">): Promise<Row[]> {
    const read = (over?: AbortSignal) => this.#read<Row>(this.#client, statement, [signal, over]);
    return await this.#attempt("reads", signal, () => this.#whileThere(read));
  }

  /** Rows of a statement that servers do not take for one that only reads, for as long as it takes and they are there. @throws as rows */
  async checkRows<Row extends readonly unknown[]>(statement: Sql): Promise<Row[]> {
    const settings = { ...UNBOUNDED, readonly: 0, check_query_single_value_result: 0 };
    const check = (over: AbortSignal) => this.#read<Row>(this.clients.patient, statement, [over], settings);
    return await this.#attempt("reads", undefined, () => this.#watched(check));
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
    await this.#inTurn(() => this.#insert(table, rows, this.#settingsOf(this.place.replicaCount)));
  }

  /** Runs what changes rows and answers nothing, for as long as it takes and all servers are there. */
  async command(statement: Sql): Promise<void> {
    const { query, params } = statementOf(statement);
    const asked = { query, query_params: params, clickhouse_settings: { ...this.#settings, ...UNBOUNDED } };
    await this.#inTurn(() => this.#watched((abort_signal) => this.clients.patient.command({ ...asked, abort_signal })));
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

  get #client(): ClickHouseClient {
    return this.isPatient ? this.clients.patient : this.clients.usual;
  }

  /** @param quorum servers of a shard that have to have a row before it counts as stored */
  #settingsOf(quorum: number): Settings {
    return { ...SETTINGS, ...settingsOfReplicas(this.place.replicaCount, quorum), ...(this.isPatient ? UNBOUNDED : {}) };
  }

  #insert(table: string, values: readonly object[], settings: Settings) {
    const asked = { table, values, format: "JSONEachRow", clickhouse_settings: settings } as const;
    return this.#whileThere((over) => this.#client.insert(over === undefined ? asked : { ...asked, abort_signal: over }));
  }

  async *#stream<Row>(statement: Sql, signal: Pick<AbortSignal, "aborted"> | undefined, settings: Settings): AsyncGenerator<Row> {
    const heard = new HeardSignal(signal);
    this.shared.outCount += 1;
    try {
      const result = await this.#attempt("reads", signal, () => this.#query(this.clients.usual, statement, heard, settings));
      for await (const block of result.stream()) {
        if (signal?.aborted === true) throw new DaybookError("aborted", "the question was given up");
        for (const row of block) yield row.json() as Row;
      }
    } catch (error) {
      throw this.#told(errorOf(error, signal, "reads"));
    } finally {
      this.shared.outCount -= 1;
      heard.end();
    }
  }

  async #read<Row>(
    client: ClickHouseClient, statement: Sql, signals: readonly (Pick<AbortSignal, "aborted"> | undefined)[], settings: Settings = {},
  ): Promise<Row[]> {
    const heard = new HeardSignal(...signals);
    try {
      return (await (await this.#query(client, statement, heard, settings)).json()) as Row[];
    } finally {
      heard.end();
    }
  }

  async #query(client: ClickHouseClient, statement: Sql, heard: HeardSignal, settings: Settings) {
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

  async #whileThere<T>(run: (over?: AbortSignal) => Promise<T>): Promise<T> {
    return await (this.isPatient ? this.#watched(run) : run());
  }

  async #watched<T>(run: (over: AbortSignal) => Promise<T>): Promise<T> {
    const { cluster, lookMs } = this.place;
    const servers = cluster === null ? sql`system.one` : sql`clusterAllReplicas(${{ type: "Identifier", value: cluster }}, system.one)`;
    const areThere = async () => {
      const outcome = await this.#look(sql`SELECT count() FROM ${servers}`, AbortSignal.timeout(lookMs));
      return outcome !== "gone" && outcome !== "refused";
    };
    return await watched(run, areThere, lookMs);
  }

  /** @param signal when it is not waited for any longer */
  async #look(statement: Sql, signal: AbortSignal): Promise<Outcome> {
    const { usual, looking } = this.clients;
    // Behind others of the same client it may wait for a socket. They have a bound of their own, by which a silent server is noticed.
    const mayWait = looking === usual && this.shared.outCount > 0;
    try {
      await this.#read(looking, statement, [signal]);
      return "answered";
    } catch (error) {
      const isUnsent = signal.aborted && mayWait && !this.shared.reach.isDoubted;
      return isUnsent ? "unsent" : outcomeOf(errorOf(error, signal, "reads"));
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
    this.shared.outCount += 1;
    try {
      const result = await run();
      this.shared.reach.told("answered");
      return result;
    } catch (error) {
      throw this.#told(errorOf(error, signal, doing));
    } finally {
      this.shared.outCount -= 1;
    }
  }

  #told(error: DaybookError): DaybookError {
    const outcome = outcomeOf(error);
    if (error.code !== "aborted" && outcome !== "answered") this.shared.reach.told(outcome);
    return error;
  }
}

/** What an error tells of the servers. Too much to do passes; a quota lasts as long as its interval does. */
function outcomeOf(error: DaybookError): Outcome {
  if (error.code === "unreachable" || error.code === "aborted") return "gone";
  if (error.code !== "overloaded") return "refused";
  return isOfNumber(error, CODES.overloaded.QUOTA_EXCEEDED) ? "exhausted" : "answered";
}
