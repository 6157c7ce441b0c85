export type StatementSettings = Readonly<Record<string, string | number>>;

/** Settings of every statement, overriding the user's profile: an answer is complete and exact, or an error. */
export const SETTINGS = {
  skip_unavailable_shards: 0,
  distributed_product_mode: "deny",
  distributed_foreground_insert: 1,
  // Rows go to the shard of their key, not to the one they were read on.
  parallel_distributed_insert_select: 0,
  max_partitions_per_insert_block: 0,
  // A shard gets bound values as text: the ids of a block of events take some megabytes.
  max_query_size: 268_435_456,
  // Segments of many conditions are repeated for each step of a funnel.
  max_ast_elements: 10_000_000,
  max_expanded_ast_elements: 10_000_000,
  max_parser_backtracks: 1_000_000_000,
  // Limits of the profile must raise an error instead of truncating.
  limit: 0,
  offset: 0,
  read_overflow_mode: "throw",
  read_overflow_mode_leaf: "throw",
  group_by_overflow_mode: "throw",
  sort_overflow_mode: "throw",
  result_overflow_mode: "throw",
  set_overflow_mode: "throw",
  join_overflow_mode: "throw",
  distinct_overflow_mode: "throw",
  transfer_overflow_mode: "throw",
  timeout_overflow_mode: "throw",
  timeout_overflow_mode_leaf: "throw",
  // Settings of the profile that would change what a statement means.
  enable_analyzer: 1,
  enable_positional_arguments: 1,
  empty_result_for_aggregation_by_empty_set: 0,
  join_default_strictness: "ALL",
  distributed_group_by_no_merge: 0,
  final: 0,
  enable_global_with_statement: 1,
  prefer_column_name_to_alias: 0,
  aggregate_functions_null_for_empty: 0,
  join_use_nulls: 0,
  transform_null_in: 0,
  // With another projection in use, a server counts rows of some parts twice. Costs nothing measurable.
  optimize_use_implicit_projections: 0,
  force_grouping_standard_compatibility: 1,
  precise_float_parsing: 1,
  use_query_cache: 0,
  async_insert: 0,
  output_format_json_quote_64bit_integers: 0,
  output_format_json_quote_decimals: 1,
  output_format_json_quote_denormals: 1,
  // Otherwise an error after the first rows looks like a row.
  http_write_exception_in_output_format: 0,
} as const;

/** Settings of statements that only read: an abandoned one ends on the server too, which requires it to be declared read-only. */
export const READING = { readonly: 2, cancel_http_readonly_queries_on_client_close: 1 } as const;

/** How long a server waits until others have a row too, in ms. */
const QUORUM_MS = 30_000;

/**
 * Settings for tables with replicas, so that reading any replica returns every acknowledged row, or an error: a row is stored once most replicas have
 * it, inserts into a table run one at a time, and a replica that lacks rows does not answer. The first replica is read while it is up.
 */
export function settingsOfReplicas(count: number, quorum: number) {
  if (count === 1) return {};
  const insert = { insert_quorum: quorum, insert_quorum_parallel: 0, insert_quorum_timeout: QUORUM_MS };
  const order = { load_balancing: "in_order", prefer_localhost_replica: 0, use_hedged_requests: 0 } as const;
  return { ...insert, ...order, max_replica_delay_for_distributed_queries: 1, select_sequential_consistency: 1 };
}

/** Settings without time limits: for an export of all rows, and for changes that wait until every server has applied them. */
export const UNBOUNDED = { max_execution_time: 0, distributed_ddl_task_timeout: -1 } as const;

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
  readonly usual: ClickHouseClient;
  /** For statements in the database that send nothing until they are done, without a time limit. */
  readonly patient: ClickHouseClient;
  /** For probes of the servers, which must run even when the sockets of the others are all in use. */
  readonly looking: ClickHouseClient;
  /** Runs outside the database, to create it. */
  readonly definer: ClickHouseClient;
}
