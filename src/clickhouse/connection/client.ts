/** The part of `@clickhouse/client` in use. An application's own client works if it has these methods. */
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

/** Clients by purpose; all may be the same. */
export interface Clients {
  /** Runs statements in the database. */
  readonly usual: ClickHouseClient;
  /** The same, for statements that send nothing until they are done, without a time limit. */
  readonly patient: ClickHouseClient;
  /** The same, for probes of the servers, which must run even when the sockets of the others are all in use. */
  readonly looking: ClickHouseClient;
  /** Runs outside the database, to create it. */
  readonly definer: ClickHouseClient;
}
