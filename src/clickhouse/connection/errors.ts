import { DaybookError, type ErrorCode } from "../../base/errors.js";

/** What errors of the server mean, by their numbers; others are defects of ours. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  "60": "manifest_missing",
  "81": "manifest_missing",
  "159": "query_timeout",
  // Bounds of the user that the server is asked as: of rows, columns, sets, quotas, bytes and time; and settings that it must not set.
  "158": "overloaded",
  "160": "query_timeout",
  "161": "overloaded",
  "191": "overloaded",
  "201": "overloaded",
  "290": "overloaded",
  "307": "overloaded",
  "396": "overloaded",
  "452": "not_supported",
  "164": "read_only",
  "202": "overloaded",
  "209": "unreachable",
  "210": "unreachable",
  "241": "overloaded",
  "242": "read_only",
  "243": "storage_full",
  "252": "overloaded",
  "279": "unreachable",
  // Of tables with replicas: too few of them are there, one of them lags, some do not say that they have a row or have changed, no Keeper.
  "285": "unreachable",
  "286": "overloaded",
  "289": "unreachable",
  "319": "unreachable",
  "341": "unreachable",
  // RE2 itself refuses some of what `re2js` takes, such as a class of letters a thousand times.
  "427": "invalid_regex",
  "516": "unreachable",
  "999": "unreachable",
};

/** Whatever the client threw, as an error of Daybook. Its own text may hold what a question was about, so it is the cause alone. */
export function errorOf(error: unknown, signal: Pick<AbortSignal, "aborted"> | undefined): DaybookError {
  if (error instanceof DaybookError) return error;
  if (signal?.aborted === true) return new DaybookError("aborted", "the question was given up", {}, { cause: error });
  if (error instanceof RangeError) return new DaybookError("internal", "a statement is longer than this process can make one: send fewer rows at a time", {}, { cause: error });
  const { code, type } = error as { readonly code?: unknown; readonly type?: unknown };
  if (typeof code !== "string" || typeof type !== "string")
    return new DaybookError("unreachable", `ClickHouse did not answer${isOfSystem(code) ? `: ${code}` : ""}`, {}, { cause: error });
  return new DaybookError(CODES[code] ?? "internal", `ClickHouse refused a statement: ${type} (${code})`, {}, { cause: error });
}

/** Codes of the operating system, such as ECONNREFUSED, say what helps and nothing of a question. */
function isOfSystem(code: unknown): code is string {
  return typeof code === "string" && /^E[A-Z]{3,20}$/.test(code);
}
