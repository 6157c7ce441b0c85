import { DaybookError } from "../../core/base/errors.js";
import { joined, name, sql, statementOf, type Sql } from "../sql/sql.js";
import { READING, SETTINGS, settingsOfReplicas, UNBOUNDED, type ClickHouseClient, type Clients, type StatementSettings } from "./settings.js";
import { CODES, errorOf, isOfNumber, type AccessKind } from "./errors.js";
import { inTurn, Reachability, type StatementOutcome } from "./reach.js";

/** Interval in ms at which signals without events are polled: bounds the delay of an abort. */
const POLL_MS = 25;

type StopSignal = Pick<AbortSignal, "aborted">;

/** Combines signals into one for the client. Signals that only have `aborted`, without events, are polled. */
class CombinedSignal {
  readonly signal: AbortSignal | undefined;
  readonly #timer: ReturnType<typeof setInterval> | undefined;
  #close: () => void = () => undefined;

  constructor(...given: readonly (StopSignal | undefined)[]) {
    const signals = given.filter((each) => each instanceof AbortSignal);
    const polled = given.filter((each): each is StopSignal => each !== undefined && !(each instanceof AbortSignal));
    if (polled.length > 0) {
      const polling = new AbortController();
      signals.push(polling.signal);
      this.#timer = setInterval(() => {
        if (polled.some(({ aborted }) => aborted)) polling.abort();
      }, POLL_MS);
    }
    this.signal = signals.length > 1 ? AbortSignal.any(signals) : signals[0];
  }

  /** The client observes its signal only until an answer begins; afterwards an abort has to close the answer. */
  closes(answer: { close(): void }): void {
    this.#close = () => answer.close();
    if (this.signal?.aborted === true) this.#close();
    else this.signal?.addEventListener("abort", this.#close, { once: true });
  }

  end(): void {
    clearInterval(this.#timer);
    this.signal?.removeEventListener("abort", this.#close);
  }
}

/** Failed probes in a row after which a statement is given up. */
const FAILED_COUNT = 3;

/** Without a time limit a statement would wait forever for a server that is gone. @throws what `run` throws; unreachable */
async function watched<T>(run: (signal: AbortSignal) => Promise<T>, areReachable: () => Promise<boolean>, lookMs: number): Promise<T> {
  const over = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const gone = new Promise<never>((_, reject) => {
    let failedCount = 0;
    const probe = async () => {
      failedCount = (await areReachable()) ? 0 : failedCount + 1;
      if (failedCount === FAILED_COUNT) reject(new DaybookError("unreachable", "a ClickHouse server no longer responds while a statement waits for it"));
      else next();
    };
    const next = () => {
      if (!over.signal.aborted) timer = setTimeout(() => void probe(), lookMs);
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

/** A server's limits for a form field and a URL, by default of `http_max_field_value_size` and `http_max_uri_size`. */
const FIELD_BYTES = 131_072;
const ADDRESS_BYTES = 1_048_576;
/** Reserved for the rest: the format after a text, the settings in a URL. */
const OTHER_FIELD_BYTES = 1_024;
const OTHER_ADDRESS_BYTES = 16_384;

/** A URL may be too short for the parameters, a form field for the text. @throws too_many_filters where neither fits */
function sendingOf(query: string, params: Readonly<Record<string, unknown>>): "form" | "address" {
  const queryBytes = Buffer.byteLength(query);
  if (queryBytes <= FIELD_BYTES - OTHER_FIELD_BYTES) return "form";
  const sizes = Object.entries(params).map(([name, value]) => addressBytesOf(name, value));
  const hasRoom = sizes.every((size) => size <= FIELD_BYTES) && sizes.reduce((sum, size) => sum + size, 0) <= ADDRESS_BYTES - OTHER_ADDRESS_BYTES;
  if (hasRoom) return "address";
  throw new DaybookError("too_many_filters", `expected a query that fits into a request to ClickHouse, got ${queryBytes} bytes of SQL with long values`);
}

/** Upper bound for a parameter in a URL: the client writes lists like JSON, but with apostrophes, which it escapes in texts. */
function addressBytesOf(name: string, value: unknown): number {
  const text = typeof value === "string" ? value.replaceAll("\\", "\\\\") : JSON.stringify(value);
  return new URLSearchParams({ [`param_${name}`]: text.replaceAll("'", "\\'") }).toString().length + 1;
}

interface Destination {
  /** Null: one server. */
  readonly cluster: string | null;
  readonly replicaCount: number;
  /** Interval in ms between probes of the servers during a long statement. */
  readonly lookMs: number;
}

export class Connection {
  /** Of every statement. */
  readonly settings: StatementSettings;

  /** @param shared of all connections with the same clients: closing one closes all @param hasNoTimeLimit no time limit while all servers are up */
  constructor(
    readonly clients: Clients,
    readonly place: Destination,
    readonly shared = { isClosed: false, reach: new Reachability(), outCount: 0 },
    readonly hasNoTimeLimit = false,
    readonly signal?: StopSignal,
  ) {
    this.settings = this.#settingsOf(Math.floor(place.replicaCount / 2) + 1);
  }

  ofReplicas(replicaCount: number): Connection {
    return new Connection(this.clients, { ...this.place, replicaCount }, this.shared, this.hasNoTimeLimit);
  }

  patient(): Connection {
    return new Connection(this.clients, this.place, this.shared, true);
  }

  stoppedBy(signal: StopSignal | undefined): Connection {
    return new Connection(this.clients, this.place, this.shared, this.hasNoTimeLimit, signal);
  }

  /** Whether the servers answer, known within about a second. @param small a statement that reads what any query needs */
  async health(small: Sql): Promise<"ok" | "unreachable" | "closed"> {
    if (this.shared.isClosed) return "closed";
    return (await this.shared.reach.isReachable((signal) => this.#probe(small, signal))) ? "ok" : "unreachable";
  }

  /** Rows of system tables, whether or not the database exists. @throws as rows */
  async systemRows<Row extends readonly unknown[]>(statement: Sql, settings: StatementSettings = {}): Promise<Row[]> {
    return await this.#attempt("reads", () => this.#read<Row>(this.clients.definer, statement, [], settings));
  }

  /** Rows as arrays of columns. @throws aborted, unreachable, query_timeout, overloaded, not_supported, manifest_missing, closed, internal */
  async rows<Row extends readonly unknown[]>(statement: Sql): Promise<Row[]> {
    const read = (over?: AbortSignal) => this.#read<Row>(this.#client, statement, [this.signal, over]);
    return await this.#attempt("reads", () => this.#whileReachable(read));
  }

  /** Whether any of some statements has a row. @param statements of one column, each with at most a few rows @throws as rows */
  async hasRows(...statements: readonly Sql[]): Promise<boolean> {
    return (await this.rows(sql`SELECT * FROM (${joined(statements, " UNION ALL ")}) LIMIT 1`)).length > 0;
  }

  /** Rows of a statement that servers do not accept as read-only, without a time limit while they are up. @throws as rows */
  async checkRows<Row extends readonly unknown[]>(statement: Sql): Promise<Row[]> {
    const settings = { ...UNBOUNDED, readonly: 0, check_query_single_value_result: 0 };
    const check = (over: AbortSignal) => this.#read<Row>(this.clients.patient, statement, [over], settings);
    return await this.#attempt("reads", () => this.#watched(check));
  }

  /** One block of rows in memory at a time. @param settings `UNBOUNDED`: no time limit but that of an idle connection @throws as rows */
  async *stream<Row extends readonly unknown[]>(statement: Sql, settings: StatementSettings = {}): AsyncGenerator<Row> {
    const combined = new CombinedSignal(this.signal);
    this.shared.outCount += 1;
    try {
      const result = await this.#attempt("reads", () => this.#query(this.clients.usual, statement, combined, settings));
      for await (const block of result.stream()) {
        this.refuseStopped();
        for (const row of block) yield row.json() as Row;
      }
    } catch (error) {
      throw this.#recorded(errorOf(error, this.signal, "reads"));
    } finally {
      this.shared.outCount -= 1;
      combined.end();
    }
  }

  /** @param token the same rows under it are stored once; such an insert throws where another is under way, see `inTurn` */
  async insert(table: string, rows: readonly object[], token?: string): Promise<void> {
    if (rows.length === 0) return;
    // Views rerun on rows that are already stored: the insert that stored them may have failed before its views ran.
    const once = { insert_deduplicate: 1, insert_deduplication_token: token ?? "", deduplicate_blocks_in_dependent_materialized_views: 1 };
    const insert = () => this.#insert(table, rows, token === undefined ? this.settings : { ...this.settings, ...once });
    await (token === undefined ? this.#inTurn(insert) : this.#attempt("writes", insert));
  }

  /** Resolves once every replica has the rows. */
  async insertOnAll(table: string, rows: readonly object[]): Promise<void> {
    await this.#inTurn(() => this.#insert(table, rows, this.#settingsOf(this.place.replicaCount)));
  }

  /** Runs a statement that changes rows and returns none, without a time limit while all servers are up. */
  async command(statement: Sql): Promise<void> {
    const { query, params } = statementOf(statement);
    const request = { query, query_params: params, clickhouse_settings: { ...this.settings, ...UNBOUNDED } };
    await this.#inTurn(() => this.#watched((abort_signal) => this.clients.patient.command({ ...request, abort_signal })));
  }

  async define(statement: string): Promise<void> {
    await this.#attempt("writes", () => this.clients.definer.command({ query: statement }));
  }

  refuseStopped(): void {
    if (this.signal?.aborted === true) throw new DaybookError("aborted", "the query was stopped by its signal");
  }

  async close(): Promise<void> {
    if (this.shared.isClosed) return;
    this.shared.isClosed = true;
    await Promise.all([...new Set(Object.values(this.clients))].map((client: ClickHouseClient) => client.close()));
  }

  get #client(): ClickHouseClient {
    return this.hasNoTimeLimit ? this.clients.patient : this.clients.usual;
  }

  /** @param quorum servers of a shard that must have a row before it counts as stored */
  #settingsOf(quorum: number): StatementSettings {
    return { ...SETTINGS, ...settingsOfReplicas(this.place.replicaCount, quorum), ...(this.hasNoTimeLimit ? UNBOUNDED : {}) };
  }

  #insert(table: string, values: readonly object[], settings: StatementSettings) {
    const request = { table, values, format: "JSONEachRow", clickhouse_settings: settings } as const;
    return this.#whileReachable((over) => this.#client.insert(over === undefined ? request : { ...request, abort_signal: over }));
  }

  async #read<Row>(
    client: ClickHouseClient, statement: Sql, signals: readonly (StopSignal | undefined)[], settings: StatementSettings = {},
  ): Promise<Row[]> {
    const combined = new CombinedSignal(...signals);
    try {
      return (await (await this.#query(client, statement, combined, settings)).json()) as Row[];
    } finally {
      combined.end();
    }
  }

  async #query(client: ClickHouseClient, statement: Sql, combined: CombinedSignal, settings: StatementSettings) {
    const { query, params } = statementOf(statement);
    const { signal } = combined;
    const answer = await client.query({
      query,
      format: "JSONCompactEachRow",
      query_params: params,
      use_multipart_params: sendingOf(query, params) === "form",
      // In automatic mode a client would send as a form what must not be one.
      use_multipart_params_auto: false,
      clickhouse_settings: { ...this.settings, ...READING, ...settings },
      ...(signal === undefined ? {} : { abort_signal: signal }),
    });
    combined.closes(answer);
    return answer;
  }

  async #whileReachable<T>(run: (over?: AbortSignal) => Promise<T>): Promise<T> {
    return await (this.hasNoTimeLimit ? this.#watched(run) : run());
  }

  async #watched<T>(run: (over: AbortSignal) => Promise<T>): Promise<T> {
    const { cluster, lookMs } = this.place;
    const servers = cluster === null ? sql`system.one` : sql`clusterAllReplicas(${name(cluster)}, system.one)`;
    const areReachable = async () => {
      const outcome = await this.#probe(sql`SELECT count() FROM ${servers}`, AbortSignal.timeout(lookMs));
      return outcome !== "gone" && outcome !== "refused";
    };
    return await watched(run, areReachable, lookMs);
  }

  async #probe(statement: Sql, signal: AbortSignal): Promise<StatementOutcome> {
    const { usual, looking } = this.clients;
    // Behind other statements of the same client a probe may wait for a socket. Their own timeouts detect a silent server.
    const mayWait = looking === usual && this.shared.outCount > 0;
    try {
      await this.#read(looking, statement, [signal]);
      return "answered";
    } catch (error) {
      const isUnsent = signal.aborted && mayWait && !this.shared.reach.isSuspect;
      return isUnsent ? "unsent" : outcomeOf(errorOf(error, signal, "reads"));
    }
  }

  /** What is written must mean the same when stored twice. */
  #inTurn(run: () => Promise<unknown>): Promise<void> {
    return inTurn(() => this.#attempt("writes", run));
  }

  async #attempt<T>(access: AccessKind, run: () => Promise<T>): Promise<T> {
    if (this.shared.isClosed) throw new DaybookError("closed", "this Daybook was closed");
    this.refuseStopped();
    this.shared.outCount += 1;
    try {
      const result = await run();
      this.shared.reach.record("answered");
      return result;
    } catch (error) {
      throw this.#recorded(errorOf(error, this.signal, access));
    } finally {
      this.shared.outCount -= 1;
    }
  }

  #recorded(error: DaybookError): DaybookError {
    const outcome = outcomeOf(error);
    if (error.code !== "aborted" && outcome !== "answered") this.shared.reach.record(outcome);
    return error;
  }
}

/** What an error implies about the servers. Overload passes; a used-up quota lasts as long as its interval. */
function outcomeOf(error: DaybookError): StatementOutcome {
  if (error.code === "unreachable" || error.code === "aborted") return "gone";
  if (error.code !== "overloaded") return "refused";
  return isOfNumber(error, CODES.overloaded.QUOTA_EXCEEDED) ? "exhausted" : "answered";
}

/** Groups rows that are sorted by their first column, one list per value; one list is in memory at a time. */
export async function* listsOf<Row extends readonly [of: string, ...rest: unknown[]]>(rows: AsyncIterable<Row>): AsyncGenerator<readonly Row[]> {
  let list: Row[] = [];
  for await (const row of rows) {
    if (list[0] !== undefined && list[0][0] !== row[0]) {
      yield list;
      list = [];
    }
    list.push(row);
  }
  if (list.length > 0) yield list;
}
