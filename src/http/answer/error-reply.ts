import { DaybookError, ERROR_CODES, type ErrorCode, type ErrorDetails } from "../../core/base/errors.js";
import type { WireReply } from "../wire/request-reply.js";
import { NO_SNIFF } from "./headers.js";
import { snakeCase, wireParam } from "../wire/wire-names.js";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";

/** The HTTP status of every error code. Codes of single events appear in a 200 answer; their status here is for a request with one item. */
export const STATUS: Readonly<Record<ErrorCode, number>> = {
  malformed_json: 400,
  invalid_body: 400,
  exactly_one_required: 400,
  invalid_parameter: 400,
  unknown_parameter: 400,
  duplicate_parameter: 400,
  invalid_operator: 400,
  invalid_filter_value: 400,
  invalid_regex: 400,
  too_many_filters: 400,
  too_many_values: 400,
  query_too_large: 400,
  invalid_date: 400,
  invalid_date_range: 400,
  invalid_cursor: 400,
  cursor_mismatch: 400,
  duplicate_header: 400,
  invalid_event: 400,
  missing_token: 401,
  invalid_token: 401,
  insufficient_scope: 403,
  insufficient_role: 403,
  organization_token_required: 403,
  project_not_allowed: 403,
  forbidden_by_scope: 403,
  origin_not_allowed: 403,
  project_not_found: 404,
  identity_not_found: 404,
  company_not_found: 404,
  privacy_request_not_found: 404,
  route_not_found: 404,
  method_not_allowed: 405,
  aborted: 408,
  request_timeout: 408,
  invalid_transition: 409,
  duplicate: 409,
  suppressed: 409,
  expired: 422,
  body_too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  rate_limited: 429,
  headers_too_large: 431,
  overloaded: 503,
  query_timeout: 503,
  read_only: 503,
  store_locked: 503,
  closed: 503,
  not_supported: 501,
  unreachable: 502,
  storage_full: 507,
  manifest_missing: 500,
  corruption: 500,
  body_already_read: 500,
  internal: 500,
};

/** Formats of an error: `legacy` for unversioned endpoints, `client` for libraries of other products, `problem` (RFC 9457) for everything else. */
export type Envelope = "legacy" | "client" | "problem";

/** Library names in messages; the wire has them in snake_case. */
const LIBRARY_NAMES = [
  ...["eventName", "startDate", "endDate", "filterGroups", "fieldName", "metadataField", "allFields", "userId", "companyId", "rangeDays"],
  ...["timeZone", "weekStart", "asOf", "atLeast", "atMost", "lastDays", "conversionWindowSec", "afterStep", "beforeStep"],
  ...["cohortEvent", "returnEvent", "startAt", "endAt", "maxDepth", "expiresIn", "expiresAt", "longLived"],
];
const QUOTED_OR_NAME = new RegExp(`"(?:[^"\\\\]|\\\\.)*"|\\b(?:${LIBRARY_NAMES.join("|")})\\b`, "g");

/** Converts a thrown value to an answer. Errors of status 500 and above show only the sentence of their code, without path or stack. */
export function errorReply(envelope: Envelope, thrown: unknown, requestId: string): WireReply {
  const error = thrown instanceof DaybookError ? thrown : new DaybookError("internal", ERROR_CODES.internal);
  const status = STATUS[error.code];
  const message = status >= 500 ? ERROR_CODES[error.code] : error.message;
  const param = status >= 500 ? undefined : error.details.param;
  const parts: ErrorParts = { code: error.code, status, message, param, errors: status >= 500 ? undefined : error.details["errors"], requestId };
  return {
    status,
    headers: {
      "content-type": envelope === "problem" ? "application/problem+json" : "application/json; charset=utf-8",
      "x-request-id": requestId,
      "cache-control": "no-store",
      ...NO_SNIFF,
      ...headersOf(error, status),
    },
    body: JSON.stringify(BODIES[envelope](parts)),
  };
}

interface ErrorParts {
  readonly code: ErrorCode;
  readonly status: number;
  readonly message: string;
  readonly param: string | undefined;
  readonly errors: unknown;
  readonly requestId: string;
}

const BODIES: Readonly<Record<Envelope, (parts: ErrorParts) => object>> = {
  legacy: ({ code, message, param, requestId }) => ({ status: "ERROR", error: { code, message, param, request_id: requestId } }),
  // One client checks for a status other than 1. Another reads the code from the body, and does not retry if it has `missing_field`.
  client: ({ code, status, message, param, requestId }) => ({
    status: 0,
    code: status,
    error: message,
    reason: code,
    missing_field: status < 500 && status !== 429 ? (param ?? code) : undefined,
    request_id: requestId,
  }),
  problem: ({ code, status, message, param, errors, requestId }) => ({
    type: `urn:daybook:error:${code}`,
    title: ERROR_CODES[code],
    status,
    detail: message,
    code,
    param,
    errors,
    request_id: requestId,
  }),
};

function headersOf(error: DaybookError, status: number): Record<string, string> {
  const headers: Record<string, string> = {};
  if (status === 401) headers["www-authenticate"] = "Bearer";
  if (error.code === "method_not_allowed") headers["allow"] = String(error.details["allow"]);
  if (error.code === "rate_limited" || error.code === "overloaded") {
    const retryAfterSec = error.details["retryAfterSec"];
    headers["retry-after"] = String(typeof retryAfterSec === "number" ? Math.max(1, Math.ceil(retryAfterSec)) : 1);
  }
  return headers;
}

/** Converts the camelCase names in an error of the library to wire names. Returns other values unchanged. */
export function inWireNames(thrown: unknown): unknown {
  if (!(thrown instanceof DaybookError)) return thrown;
  const { param, reason } = thrown.details;
  if (param === undefined) return new DaybookError(thrown.code, wireText(thrown.message), thrown.details, { cause: thrown });
  const named = wireParam(param);
  const rest = reason ?? thrown.message.replace(`${param}: `, "");
  const details: ErrorDetails = { ...thrown.details, param: named, reason: wireText(rest) };
  return new DaybookError(thrown.code, `${named}: ${wireText(rest)}`, details, { cause: thrown });
}

/** Text in double quotes was sent by the caller and stays unchanged. */
function wireText(text: string): string {
  return text.replace(QUOTED_OR_NAME, (match) => (match.startsWith('"') ? match : snakeCase(match)));
}

interface NamedRejection {
  readonly index: number;
  readonly code: string;
  readonly message: string;
}

/** The rejections that an answer names one by one, with the total if there are more. */
export interface NamedRejections {
  readonly rejected: NamedRejection[];
  readonly rejectedCount?: number;
}

/** The first rejections of an answer. @param rejected ascending by index */
export function namedRejections(rejected: readonly NamedRejection[]): NamedRejections {
  const named = rejected.slice(0, SERVER_LIMITS.namedItemCount).map(({ index, code, message }) => ({ index, code, message }));
  return named.length === rejected.length ? { rejected: named } : { rejected: named, rejectedCount: rejected.length };
}
