import { DaybookError, type ErrorCode } from "../../core/base/errors.js";

/** A retry may succeed, on a server that is starting or on another one. */
const UNREACHABLE = {
  // Connections between servers, and connections lost during a statement.
  ATTEMPT_TO_READ_AFTER_EOF: 32, CANNOT_READ_ALL_DATA: 33, RECEIVED_ERROR_FROM_REMOTE_IO_SERVER: 86, CANNOT_READ_FROM_SOCKET: 95,
  CANNOT_WRITE_TO_SOCKET: 96, UNKNOWN_PACKET_FROM_CLIENT: 99, UNKNOWN_PACKET_FROM_SERVER: 100, UNEXPECTED_PACKET_FROM_CLIENT: 101,
  UNEXPECTED_PACKET_FROM_SERVER: 102, DNS_ERROR: 198, SOCKET_TIMEOUT: 209, NETWORK_ERROR: 210, CLIENT_HAS_CONNECTED_TO_WRONG_PORT: 217,
  NO_AVAILABLE_REPLICA: 265, ALL_CONNECTION_TRIES_FAILED: 279, NO_AVAILABLE_DATA: 280, SHARD_HAS_NO_CONNECTIONS: 297,
  EXTERNAL_SERVER_IS_NOT_RESPONDING: 410, NO_REMOTE_SHARD_AVAILABLE: 519, TOO_MANY_UNAVAILABLE_SHARDS: 904,
  // Servers that stop or start, and statements cancelled there.
  ABORTED: 236, QUERY_WAS_CANCELLED: 394, THREAD_WAS_CANCELED: 677, ASYNC_LOAD_FAILED: 695, ASYNC_LOAD_CANCELED: 696, ASYNC_LOAD_WAIT_FAILED: 722,
  TABLE_IS_BEING_RESTARTED: 733, CANNOT_WRITE_AFTER_BUFFER_CANCELED: 734, QUERY_WAS_CANCELLED_BY_CLIENT: 735,
  // Tables with replicas: too few are up, one lags, some do not confirm a row or a change, no Keeper.
  NO_ZOOKEEPER: 225, NO_REPLICA_HAS_PART: 234, UNEXPECTED_ZOOKEEPER_ERROR: 244, NO_ACTIVE_REPLICAS: 254, TOO_MANY_RETRIES_TO_FETCH_PARTS: 255,
  TOO_FEW_LIVE_REPLICAS: 285, REPLICA_IS_NOT_IN_QUORUM: 289, UNKNOWN_STATUS_OF_INSERT: 319, UNFINISHED: 341, ALL_REPLICAS_ARE_STALE: 369,
  PART_IS_TEMPORARILY_LOCKED: 384, ALL_REPLICAS_LOST: 415, REPLICA_STATUS_CHANGED: 416, NOT_A_LEADER: 529, RAFT_ERROR: 568,
  DATABASE_REPLICATION_FAILED: 571, KEEPER_EXCEPTION: 999,
  // Disks that are services.
  S3_ERROR: 499, AZURE_BLOB_STORAGE_ERROR: 500, HDFS_ERROR: 660, AWS_ERROR: 693, GCP_ERROR: 707, GOOGLE_CLOUD_ERROR: 737,
  DISTRIBUTED_CACHE_ERROR: 900,
  // Users that the server rejects.
  UNKNOWN_USER: 192, WRONG_PASSWORD: 193, REQUIRED_PASSWORD: 194, IP_ADDRESS_NOT_ALLOWED: 195, AUTHENTICATION_FAILED: 516, USER_EXPIRED: 720,
  REQUIRED_SECOND_FACTOR: 767,
} as const;

/** Above a limit of the server or of its user: rows, columns, sets, quotas, bytes, depth. */
const OVERLOADED = {
  TOO_LARGE_ARRAY_SIZE: 128, TOO_LARGE_STRING_SIZE: 131, TOO_MANY_ROWS: 158, TOO_MANY_COLUMNS: 161, TOO_DEEP_SUBQUERIES: 162,
  TOO_MANY_TEMPORARY_COLUMNS: 165, TOO_MANY_TEMPORARY_NON_CONST_COLUMNS: 166, TOO_DEEP_AST: 167, TOO_BIG_AST: 168, CANNOT_ALLOCATE_MEMORY: 173,
  SET_SIZE_LIMIT_EXCEEDED: 191, QUOTA_EXCEEDED: 201, TOO_MANY_SIMULTANEOUS_QUERIES: 202, NO_FREE_CONNECTION: 203, QUERY_IS_TOO_LARGE: 229,
  MEMORY_LIMIT_EXCEEDED: 241, TOO_MANY_PARTS: 252, UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE: 286, LIMIT_EXCEEDED: 290, TOO_DEEP_RECURSION: 306,
  TOO_MANY_BYTES: 307, RECEIVED_ERROR_TOO_MANY_REQUESTS: 364, SESSION_IS_LOCKED: 373, TOO_MANY_ROWS_OR_BYTES: 396, CANNOT_SCHEDULE_TASK: 439,
  DEADLOCK_AVOIDED: 473, DISTRIBUTED_TOO_MANY_PENDING_BYTES: 574, TOO_MANY_MUTATIONS: 692, USER_SESSION_LIMIT_EXCEEDED: 700, SERVER_OVERLOADED: 745,
  TCP_CONNECTION_LIMIT_REACHED: 749, HTTP_CONNECTION_LIMIT_REACHED: 762, SESSION_REFUSED: 763, RESOURCE_LIMIT_EXCEEDED: 776,
  MEMORY_RESERVATION_KILLED: 777, MEMORY_RESERVATION_FAILED: 778,
} as const;

/** Daybook's error code for each server error, which has its ClickHouse name; any other is `internal`. */
export const CODES = {
  unreachable: UNREACHABLE,
  overloaded: OVERLOADED,
  query_timeout: { TIMEOUT_EXCEEDED: 159, TOO_SLOW: 160 },
  storage_full: {
    CANNOT_WRITE_TO_FILE_DESCRIPTOR: 75, CANNOT_CREATE_DIRECTORY: 172, NOT_ENOUGH_SPACE: 243, AIO_WRITE_ERROR: 275, CANNOT_WRITE_TO_FILE: 294,
    CANNOT_CREATE_FILE: 586, CANNOT_APPEND_TO_FILE: 641,
  },
  read_only: { CANNOT_FSYNC: 204, TABLE_IS_READ_ONLY: 242, TABLE_IS_PERMANENTLY_READ_ONLY: 774 },
  // Damaged or unreadable files.
  corruption: {
    CHECKSUM_DOESNT_MATCH: 40, CANNOT_READ_FROM_FILE_DESCRIPTOR: 74, FILE_DOESNT_EXIST: 107, NO_FILE_IN_DATA_PART: 226,
    BAD_SIZE_OF_FILE_IN_DATA_PART: 228, CORRUPTED_DATA: 246, CANNOT_DECOMPRESS: 271, AIO_READ_ERROR: 274, BROKEN_PROJECTION: 713,
    POTENTIALLY_BROKEN_DATA_PART: 740,
  },
  manifest_missing: { UNKNOWN_TABLE: 60, UNKNOWN_DATABASE: 81, TABLE_IS_DROPPED: 218, CLUSTER_DOESNT_EXIST: 701 },
  not_supported: {
    UNKNOWN_SETTING: 115, SUPPORT_IS_DISABLED: 344, QUERY_IS_PROHIBITED: 392, SETTING_CONSTRAINT_VIOLATION: 452, READONLY_SETTING: 472,
    QUERY_NOT_ALLOWED: 620,
  },
  // RE2 refuses some patterns that `re2js` accepts, such as a class of letters a thousand times.
  invalid_regex: { CANNOT_COMPILE_REGEXP: 427 },
} as const satisfies Partial<Record<ErrorCode, Readonly<Record<string, number>>>>;

/** Missing rights: `read_only` for a write, `not_supported` for a query. */
export const RIGHTS = { READONLY: 164, DATABASE_ACCESS_DENIED: 291, ACCESS_DENIED: 497, RESOURCE_ACCESS_DENIED: 673 } as const;

const CODE_OF_NUMBER = new Map<string, ErrorCode>(
  (Object.keys(CODES) as (keyof typeof CODES)[]).flatMap((code) => Object.values(CODES[code]).map((number) => [String(number), code] as const)),
);
const RIGHT_NUMBERS = new Set<string>(Object.values(RIGHTS).map(String));

/** Errors of libraries inside the server: only their text distinguishes them. */
const OTHERS = new Set(["1000", "1001"]);
const NO_SPACE = /No space left on device|Disk quota exceeded/;
const NO_CONNECTION = /Net Exception|Connection (refused|reset)|Broken pipe/;

/** What a statement does: without the right to it, a write is `read_only`, a read `not_supported`. */
export type AccessKind = "reads" | "writes";

/** Maps anything the client threw to a Daybook error. Its text may reveal a query, so it becomes the `cause` only. */
export function errorOf(error: unknown, signal: Pick<AbortSignal, "aborted"> | undefined, access: AccessKind): DaybookError {
  if (error instanceof DaybookError) return error;
  if (signal?.aborted === true) return new DaybookError("aborted", "the query was stopped by its signal", {}, { cause: error });
  if (error instanceof RangeError) return new DaybookError("internal", "a statement exceeds the longest text that this process supports: send fewer rows at a time", {}, { cause: error });
  const { code, type, message } = error as { readonly code?: unknown; readonly type?: unknown; readonly message?: unknown };
  if (typeof code !== "string" || typeof type !== "string")
    return new DaybookError("unreachable", `ClickHouse did not answer${isOfSystem(code) ? `: ${code}` : ""}`, {}, { cause: error });
  const said = String(message);
  const why = `${type} (${code})${missingRight(code, said)}`;
  return new DaybookError(codeOf(code, said, access), `ClickHouse refused a statement: ${why}`, {}, { cause: error });
}

function codeOf(number: string, said: string, access: AccessKind): ErrorCode {
  if (RIGHT_NUMBERS.has(number)) return access === "writes" ? "read_only" : "not_supported";
  if (OTHERS.has(number) && NO_SPACE.test(said)) return "storage_full";
  if (OTHERS.has(number) && NO_CONNECTION.test(said)) return "unreachable";
  return CODE_OF_NUMBER.get(number) ?? "internal";
}

/** The right that the user lacks, such as INSERT on a table, if the server names it. */
function missingRight(number: string, said: string): string {
  if (number !== String(RIGHTS.ACCESS_DENIED)) return "";
  const [, right = "", of = ""] = /\bgrant ([A-Z ]+)(?<! ON)(?:\([^)]*\))? ON ([\w*`]+(?:\.[\w*`]+)*)/.exec(said) ?? [];
  return right === "" ? "" : `: the user needs ${right} ON ${of}`;
}

export function isOfNumber(error: unknown, number: number): boolean {
  return error instanceof DaybookError && (error.cause as { readonly code?: unknown } | undefined)?.code === String(number);
}

/** Codes of the operating system, such as ECONNREFUSED, help and reveal nothing of a query. */
function isOfSystem(code: unknown): code is string {
  return typeof code === "string" && /^E[A-Z]{3,20}$/.test(code);
}
