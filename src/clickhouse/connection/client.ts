/** The part of `@clickhouse/client` that is used. A client of the application's own will do, as long as it has these. */
export interface ClickHouseClient {
  query(request: {
    readonly query: string;
    readonly format: "JSONCompactEachRow";
    readonly query_params?: Record<string, unknown>;
    readonly clickhouse_settings?: Record<string, string | number>;
    readonly abort_signal?: AbortSignal;
    readonly use_multipart_params?: boolean;
    readonly use_multipart_params_auto?: boolean;
  }): Promise<{ json(): Promise<unknown[]>; stream(): AsyncIterable<readonly { json(): unknown }[]>; close(): void }>;
  insert(request: {
    readonly table: string;
    readonly values: readonly object[];
    readonly format: "JSONEachRow";
    readonly clickhouse_settings?: Record<string, string | number>;
    readonly abort_signal?: AbortSignal;
  }): Promise<unknown>;
  command(request: {
    readonly query: string;
    readonly query_params?: Record<string, unknown>;
    readonly clickhouse_settings?: Record<string, string | number>;
    readonly abort_signal?: AbortSignal;
  }): Promise<unknown>;
  close(): Promise<void>;
}

/** The clients that statements go by; all may be one. */
export interface Clients {
  /** Of the database. */
  readonly usual: ClickHouseClient;
  /** Of the database, for statements of which nothing is heard until they are done, however long that takes. */
  readonly patient: ClickHouseClient;
  /** Of the database, to look whether the servers are there, also while all sockets of the others are taken. */
  readonly looking: ClickHouseClient;
  /** Runs what makes the database itself. */
  readonly definer: ClickHouseClient;
}
