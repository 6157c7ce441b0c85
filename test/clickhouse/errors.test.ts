import { describe, expect, test } from "vitest";
import { CODES, RIGHTS, errorOf, type AccessKind } from "../../src/clickhouse/connection/errors.js";
import { serverUrl } from "./kit.js";

/** What errors of ClickHouse mean, by number and name. */
const MEANINGS = {
  unreachable: `32 ATTEMPT_TO_READ_AFTER_EOF, 33 CANNOT_READ_ALL_DATA, 86 RECEIVED_ERROR_FROM_REMOTE_IO_SERVER, 95 CANNOT_READ_FROM_SOCKET,
    96 CANNOT_WRITE_TO_SOCKET, 99 UNKNOWN_PACKET_FROM_CLIENT, 100 UNKNOWN_PACKET_FROM_SERVER, 101 UNEXPECTED_PACKET_FROM_CLIENT,
    102 UNEXPECTED_PACKET_FROM_SERVER, 192 UNKNOWN_USER, 193 WRONG_PASSWORD, 194 REQUIRED_PASSWORD, 195 IP_ADDRESS_NOT_ALLOWED, 198 DNS_ERROR,
    209 SOCKET_TIMEOUT, 210 NETWORK_ERROR, 217 CLIENT_HAS_CONNECTED_TO_WRONG_PORT, 225 NO_ZOOKEEPER, 234 NO_REPLICA_HAS_PART, 236 ABORTED,
    244 UNEXPECTED_ZOOKEEPER_ERROR, 254 NO_ACTIVE_REPLICAS, 255 TOO_MANY_RETRIES_TO_FETCH_PARTS, 265 NO_AVAILABLE_REPLICA,
    279 ALL_CONNECTION_TRIES_FAILED, 280 NO_AVAILABLE_DATA, 285 TOO_FEW_LIVE_REPLICAS, 289 REPLICA_IS_NOT_IN_QUORUM, 297 SHARD_HAS_NO_CONNECTIONS,
    319 UNKNOWN_STATUS_OF_INSERT, 341 UNFINISHED, 369 ALL_REPLICAS_ARE_STALE, 384 PART_IS_TEMPORARILY_LOCKED, 394 QUERY_WAS_CANCELLED,
    410 EXTERNAL_SERVER_IS_NOT_RESPONDING, 415 ALL_REPLICAS_LOST, 416 REPLICA_STATUS_CHANGED, 499 S3_ERROR, 500 AZURE_BLOB_STORAGE_ERROR,
    516 AUTHENTICATION_FAILED, 519 NO_REMOTE_SHARD_AVAILABLE, 529 NOT_A_LEADER, 568 RAFT_ERROR, 571 DATABASE_REPLICATION_FAILED, 660 HDFS_ERROR,
    677 THREAD_WAS_CANCELED, 693 AWS_ERROR, 695 ASYNC_LOAD_FAILED, 696 ASYNC_LOAD_CANCELED, 707 GCP_ERROR, 720 USER_EXPIRED,
    722 ASYNC_LOAD_WAIT_FAILED, 733 TABLE_IS_BEING_RESTARTED, 734 CANNOT_WRITE_AFTER_BUFFER_CANCELED, 735 QUERY_WAS_CANCELLED_BY_CLIENT,
    737 GOOGLE_CLOUD_ERROR, 767 REQUIRED_SECOND_FACTOR, 900 DISTRIBUTED_CACHE_ERROR, 904 TOO_MANY_UNAVAILABLE_SHARDS, 999 KEEPER_EXCEPTION`,
  overloaded: `128 TOO_LARGE_ARRAY_SIZE, 131 TOO_LARGE_STRING_SIZE, 158 TOO_MANY_ROWS, 161 TOO_MANY_COLUMNS, 162 TOO_DEEP_SUBQUERIES,
    165 TOO_MANY_TEMPORARY_COLUMNS, 166 TOO_MANY_TEMPORARY_NON_CONST_COLUMNS, 167 TOO_DEEP_AST, 168 TOO_BIG_AST, 173 CANNOT_ALLOCATE_MEMORY,
    191 SET_SIZE_LIMIT_EXCEEDED, 201 QUOTA_EXCEEDED, 202 TOO_MANY_SIMULTANEOUS_QUERIES, 203 NO_FREE_CONNECTION, 229 QUERY_IS_TOO_LARGE,
    241 MEMORY_LIMIT_EXCEEDED, 252 TOO_MANY_PARTS, 286 UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE, 290 LIMIT_EXCEEDED, 306 TOO_DEEP_RECURSION,
    307 TOO_MANY_BYTES, 364 RECEIVED_ERROR_TOO_MANY_REQUESTS, 373 SESSION_IS_LOCKED, 396 TOO_MANY_ROWS_OR_BYTES, 439 CANNOT_SCHEDULE_TASK,
    473 DEADLOCK_AVOIDED, 574 DISTRIBUTED_TOO_MANY_PENDING_BYTES, 692 TOO_MANY_MUTATIONS, 700 USER_SESSION_LIMIT_EXCEEDED, 745 SERVER_OVERLOADED,
    749 TCP_CONNECTION_LIMIT_REACHED, 762 HTTP_CONNECTION_LIMIT_REACHED, 763 SESSION_REFUSED, 776 RESOURCE_LIMIT_EXCEEDED,
    777 MEMORY_RESERVATION_KILLED, 778 MEMORY_RESERVATION_FAILED`,
  query_timeout: "159 TIMEOUT_EXCEEDED, 160 TOO_SLOW",
  storage_full: `75 CANNOT_WRITE_TO_FILE_DESCRIPTOR, 172 CANNOT_CREATE_DIRECTORY, 243 NOT_ENOUGH_SPACE, 275 AIO_WRITE_ERROR, 294 CANNOT_WRITE_TO_FILE,
    586 CANNOT_CREATE_FILE, 641 CANNOT_APPEND_TO_FILE`,
  read_only: "204 CANNOT_FSYNC, 242 TABLE_IS_READ_ONLY, 774 TABLE_IS_PERMANENTLY_READ_ONLY",
  corruption: `40 CHECKSUM_DOESNT_MATCH, 74 CANNOT_READ_FROM_FILE_DESCRIPTOR, 107 FILE_DOESNT_EXIST, 226 NO_FILE_IN_DATA_PART,
    228 BAD_SIZE_OF_FILE_IN_DATA_PART, 246 CORRUPTED_DATA, 271 CANNOT_DECOMPRESS, 274 AIO_READ_ERROR, 713 BROKEN_PROJECTION,
    740 POTENTIALLY_BROKEN_DATA_PART`,
  manifest_missing: "60 UNKNOWN_TABLE, 81 UNKNOWN_DATABASE, 218 TABLE_IS_DROPPED, 701 CLUSTER_DOESNT_EXIST",
  not_supported: `115 UNKNOWN_SETTING, 344 SUPPORT_IS_DISABLED, 392 QUERY_IS_PROHIBITED, 452 SETTING_CONSTRAINT_VIOLATION, 472 READONLY_SETTING,
    620 QUERY_NOT_ALLOWED`,
  invalid_regex: "427 CANNOT_COMPILE_REGEXP",
};
const RIGHTS_TOLD = "164 READONLY, 291 DATABASE_ACCESS_DENIED, 497 ACCESS_DENIED, 673 RESOURCE_ACCESS_DENIED";

const pairsOf = (text: string) => text.split(",").map((pair) => pair.trim().split(" ") as [code: string, type: string]);
const rows = Object.entries(MEANINGS).flatMap(([meaning, text]) => pairsOf(text).map(([code, type]) => [code, type, meaning] as const));
const thrown = (code: string, type: string, message = "") => Object.assign(new Error(message), { code, type });
const codeOf = (error: unknown, access: AccessKind) => errorOf(error, undefined, access).code;

describe("an error of the server", () => {
  test.each(rows)("%s %s means %s", (code, type, meaning) => {
    for (const access of ["reads", "writes"] as const)
      expect(errorOf(thrown(code, type), undefined, access))
        .toMatchObject({ code: meaning, message: `ClickHouse refused a statement: ${type} (${code})` });
  });

  test.each(pairsOf(RIGHTS_TOLD))("%s %s means that one may only read, or that a query is more than one may ask", (code, type) => {
    expect([codeOf(thrown(code, type), "writes"), codeOf(thrown(code, type), "reads")]).toEqual(["read_only", "not_supported"]);
  });

  test("that is known has a number and a name that the server gives it, and stands in one place", async () => {
    const known = [...Object.values(CODES), RIGHTS].flatMap((group) => Object.entries(group).map(([name, number]) => `${number} ${name}`));
    expect(known.sort()).toEqual([...rows, ...pairsOf(RIGHTS_TOLD)].map(([code, type]) => `${code} ${type}`).sort());
    const numbers = known.map((each) => parseInt(each));
    const body = `SELECT arrayMap(n -> concat(toString(n), ' ', errorCodeToName(n)), [${numbers.join()}]) FORMAT JSONCompactEachRow`;
    const asked = await fetch(serverUrl(), { method: "POST", body });
    expect(((await asked.json()) as [string[]])[0]).toEqual(known);
  });

  test("that is not known is a defect of ours, and an aborted query is aborted whatever the server says", () => {
    expect(codeOf(thrown("62", "SYNTAX_ERROR"), "reads")).toBe("internal");
    expect(errorOf(thrown("394", "QUERY_WAS_CANCELLED"), { aborted: true }, "reads").code).toBe("aborted");
  });

  test.each([
    ["filesystem error: in create_directories: No space left on device", "storage_full"],
    ["Net Exception: Connection reset by peer", "unreachable"],
    ["Connection refused. ", "unreachable"],
    ["HTML Form Exception: Field value too long", "internal"],
  ])("of a library says what it is by its text alone: %s", (message, meaning) => {
    expect(["1000", "1001"].map((number) => codeOf(thrown(number, "OTHER", message), "writes"))).toEqual([meaning, meaning]);
    expect(codeOf(thrown("62", "SYNTAX_ERROR", message), "writes")).toBe("internal");
  });

  test.each([
    ["reader: To execute this query, it's necessary to have the grant INSERT(id, `batch`) ON shop.events. ", "INSERT ON shop.events"],
    ["To execute this query, it's necessary to have the grant ALTER DELETE ON shop.events_local", "ALTER DELETE ON shop.events_local"],
    ["To execute this query, it's necessary to have the grant REMOTE ON *.*. ", "REMOTE ON *.*"],
  ])("about a right says which one is missing: %s", (message, right) => {
    expect(errorOf(thrown("497", "ACCESS_DENIED", message), undefined, "writes").message)
      .toBe(`ClickHouse refused a statement: ACCESS_DENIED (497): the user needs ${right}`);
  });
});
