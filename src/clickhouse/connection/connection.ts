import { DaybookError } from "../../base/errors.js";
import { sql, statementOf, type Sql } from "../sql/sql.js";
import type { ClickHouseClient, Clients } from "./client.js";
import { CODES } from "./codes.js";
import { errorOf, isOfNumber, type Doing } from "./errors.js";
import { Reach, type StatementOutcome } from "./reach.js";
import { READING, SETTINGS, settingsOfReplicas, UNBOUNDED, type StatementSettings } from "./settings.js";
import { isTurnOfOthers, TURN_MS, untilNextTurn } from "./turns.js";

/** How long after a signal is aborted a statement is given up at the latest. */
const ASKED_EVERY_MS = 25;

type StopSignal = Pick<AbortSignal, "aborted">;

/** Signals as the client takes them: as one. They may be ones that can only be asked whether they are aborted, and the client has to be told. */
class HeardSignal {
  readonly signal: AbortSignal | undefined;
  readonly #timer: ReturnType<typeof setInterval> | undefined;
  #close: () => void = () => undefined;

  constructor(...given: readonly (StopSignal | undefined)[]) {
    const signals = given.filter((each) => each instanceof AbortSignal);
    const asked = given.filter((each): each is StopSignal => each !== undefined && !(each instanceof AbortSignal));
    if (asked.length > 0) {
      const told = new AbortController();
      signals.push(told.signal);
      this.#timer = setInterval(() => {
        if (asked.some(({ aborted }) => aborted)) told.abort();
      }, ASKED_EVERY_MS);
    }
    this.signal = signals.length > 1 ? AbortSignal.any(signals) : signals[0];
  }

  /** The client listens until an answer begins: from then on it has to be closed. */
  closes(answer: { close(): void }): void {
    this.#close = () => answer.close();
    if (this.signal?.aborted === true) this.#close();
    else this.signal?.addEventListener("abort", this.#close, { once: true });
  }

  /** The statement has ended: nothing is asked any more. */
  end(): void {
    clearInterval(this.#timer);
    this.signal?.removeEventListener("abort", this.#close);
  }
}

/** How often in a row a server may fail to answer, before nobody waits for it any more. */
const FAILED_COUNT = 3;

/**
 * Waits for what takes as long as it takes, as long as the servers are there: else it would wait for ever for one that is gone.
 * @param lookMs from one look to the next
 * @throws what `run` throws; unreachable
 */
async function watched<T>(run: (signal: AbortSignal) => Promise<T>, areThere: () => Promise<boolean>, lookMs: number): Promise<T> {
  const over = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const gone = new Promise<never>((_, reject) => {
    let failedCount = 0;
    const look = async () => {
      failedCount = (await areThere()) ? 0 : failedCount + 1;
      if (failedCount === FAILED_COUNT) reject(new DaybookError("unreachable", "a server of ClickHouse is gone, and a statement waits for it"));
      else next();
    };
    const next = () => {
      if (!over.signal.aborted) timer = setTimeout(() => void look(), lookMs);
    };
    next();
  });
  try {
    return await Promise.race([run(over.signal), gone]);
  } finally {
    clearTimeout(timer);
    over.abort();
  }
}

/** What a server reads of a field and of an address, unless its `http_max_field_value_size` and `http_max_uri_size` say otherwise. */
const FIELD_BYTES = 131_072;
const ADDRESS_BYTES = 1_048_576;
/** Room for what else stands there: the format behind a text, the settings in an address. */
const OTHER_FIELD_BYTES = 1_024;
const OTHER_ADDRESS_BYTES = 16_384;

/**
 * How a statement goes to the server: with its parameters as a form, since these may be longer than an address; or, where the text is too long for a
 * field, alone, with its parameters in the address. @throws too_many_filters where neither has the room
 */
function sendingOf(query: string, params: Readonly<Record<string, unknown>>): "form" | "address" {
  const queryBytes = Buffer.byteLength(query);
  if (queryBytes <= FIELD_BYTES - OTHER_FIELD_BYTES) return "form";
  const sizes = Object.entries(params).map(([name, value]) => addressBytesOf(name, value));
  const hasRoom = sizes.every((size) => size <= FIELD_BYTES) && sizes.reduce((sum, size) => sum + size, 0) <= ADDRESS_BYTES - OTHER_ADDRESS_BYTES;
  if (hasRoom) return "address";
  throw new DaybookError("too_many_filters", `expected a question that ClickHouse has room for, got one of ${queryBytes} bytes of SQL and long values`);
}

/** Of a parameter in an address, or some more: a client writes lists as JSON does, but between apostrophes, which are escaped in texts. */
function addressBytesOf(name: string, value: unknown): number {
  const text = typeof value === "string" ? value.replaceAll("\\", "\\\\") : JSON.stringify(value);
  return new URLSearchParams({ [`param_${name}`]: text.replaceAll("'", "\\'") }).toString().length + 1;
}

/** Where statements go. */
export interface Destination {
  /** Null: one server. */
  readonly cluster: string | null;
  /** Servers that hold the rows of each shard. */
  readonly replicaCount: number;
  /** From one look to the next at whether the servers are there, while one statement takes long. */
  readonly lookMs: number;
}

/** Sends statements, and turns what goes wrong into errors of Daybook. */
export class Connection {
  readonly #settings: StatementSettings;

  /**
   * @param shared with other connections by the same clients: closing one of them closes all
   * @param isPatient whether each statement takes as long as it takes and all servers are there
   */
  constructor(
    readonly clients: Clients,
    readonly place: Destination,
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
  #settingsOf(quorum: number): StatementSettings {
    return { ...SETTINGS, ...settingsOfReplicas(this.place.replicaCount, quorum), ...(this.isPatient ? UNBOUNDED : {}) };
  }

  #insert(table: string, values: readonly object[], settings: StatementSettings) {
    const asked = { table, values, format: "JSONEachRow", clickhouse_settings: settings } as const;
    return this.#whileThere((over) => this.#client.insert(over === undefined ? asked : { ...asked, abort_signal: over }));
  }

  async *#stream<Row>(statement: Sql, signal: Pick<AbortSignal, "aborted"> | undefined, settings: StatementSettings): AsyncGenerator<Row> {
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
    client: ClickHouseClient, statement: Sql, signals: readonly (Pick<AbortSignal, "aborted"> | undefined)[], settings: StatementSettings = {},
  ): Promise<Row[]> {
    const heard = new HeardSignal(...signals);
    try {
      return (await (await this.#query(client, statement, heard, settings)).json()) as Row[];
    } finally {
      heard.end();
    }
  }

  async #query(client: ClickHouseClient, statement: Sql, heard: HeardSignal, settings: StatementSettings) {
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
  async #look(statement: Sql, signal: AbortSignal): Promise<StatementOutcome> {
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
function outcomeOf(error: DaybookError): StatementOutcome {
  if (error.code === "unreachable" || error.code === "aborted") return "gone";
  if (error.code !== "overloaded") return "refused";
  return isOfNumber(error, CODES.overloaded.QUOTA_EXCEEDED) ? "exhausted" : "answered";
}
