import { DaybookError, type ErrorCode } from "../../core/base/errors.js";
import { CODES, RIGHTS } from "./codes.js";

const CODE_OF_NUMBER = new Map<string, ErrorCode>(
  (Object.keys(CODES) as (keyof typeof CODES)[]).flatMap((code) => Object.values(CODES[code]).map((number) => [String(number), code] as const)),
);
const RIGHT_NUMBERS = new Set<string>(Object.values(RIGHTS).map(String));

/** Errors of libraries inside the server: only their text distinguishes them. */
const OTHERS = new Set(["1000", "1001"]);
const NO_SPACE = /No space left on device|Disk quota exceeded/;
const NO_CONNECTION = /Net Exception|Connection (refused|reset)|Broken pipe/;

/** What a statement does: without the right to it, a write is `read_only`, a read `not_supported`. */
export type Doing = "reads" | "writes";

/** Maps anything the client threw to a Daybook error. Its text may reveal a query, so it becomes the `cause` only. */
export function errorOf(error: unknown, signal: Pick<AbortSignal, "aborted"> | undefined, doing: Doing): DaybookError {
  if (error instanceof DaybookError) return error;
  if (signal?.aborted === true) return new DaybookError("aborted", "the query was stopped by its signal", {}, { cause: error });
  if (error instanceof RangeError) return new DaybookError("internal", "a statement exceeds the longest text that this process supports: send fewer rows at a time", {}, { cause: error });
  const { code, type, message } = error as { readonly code?: unknown; readonly type?: unknown; readonly message?: unknown };
  if (typeof code !== "string" || typeof type !== "string")
    return new DaybookError("unreachable", `ClickHouse did not answer${isOfSystem(code) ? `: ${code}` : ""}`, {}, { cause: error });
  const said = String(message);
  const why = `${type} (${code})${missingRight(code, said)}`;
  return new DaybookError(codeOf(code, said, doing), `ClickHouse refused a statement: ${why}`, {}, { cause: error });
}

function codeOf(number: string, said: string, doing: Doing): ErrorCode {
  if (RIGHT_NUMBERS.has(number)) return doing === "writes" ? "read_only" : "not_supported";
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

/** Whether the server refused a statement with this error number. */
export function isOfNumber(error: unknown, number: number): boolean {
  return error instanceof DaybookError && (error.cause as { readonly code?: unknown } | undefined)?.code === String(number);
}

/** Codes of the operating system, such as ECONNREFUSED, help and reveal nothing of a query. */
function isOfSystem(code: unknown): code is string {
  return typeof code === "string" && /^E[A-Z]{3,20}$/.test(code);
}
