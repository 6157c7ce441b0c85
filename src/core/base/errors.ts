/** Every error code of Daybook, with the sentence that explains it; `http/` maps codes to HTTP statuses. */
export const ERROR_CODES = {
  malformed_json: "The text is not JSON, not valid UTF-8, or nested too deep.",
  invalid_body: "The body is not a JSON object.",
  exactly_one_required: "Exactly one of several parameters must be given.",
  invalid_parameter: "A parameter has the wrong type or is out of range.",
  unknown_parameter: "A parameter is unknown.",
  duplicate_parameter: "A query parameter was given twice.",
  invalid_operator: "A filter operator is unknown.",
  invalid_filter_value: "A filter value does not fit its operator.",
  invalid_regex: "A regular expression is not valid RE2 syntax, or is too long.",
  too_many_filters: "A query has too many filter groups or filters.",
  too_many_values: "An aggregate has more values than one query can count.",
  query_too_large: "A query needs more memory than one query may use.",
  invalid_date: "A date is neither YYYY-MM-DD nor an RFC 3339 timestamp with a time zone.",
  invalid_date_range: "The start of a range is after its end.",
  invalid_cursor: "A cursor was altered, or belongs to another endpoint or store.",
  cursor_mismatch: "A cursor belongs to a query with other parameters.",
  missing_token: "No usable Authorization header was sent.",
  invalid_token: "The token is unknown, expired or revoked.",
  insufficient_scope: "The token lacks the required scope.",
  insufficient_role: "The token lacks the required role.",
  organization_token_required: "A project token cannot use an organization-wide endpoint.",
  forbidden_by_scope: "The scope of the token, or of the scoped Daybook, does not allow this.",
  origin_not_allowed: "The page's origin is not on the list of the public key or token.",
  project_not_found: "The organization has no such project, or the token may not see it.",
  identity_not_found: "No identity has this identifier.",
  company_not_found: "No company has this identifier.",
  privacy_request_not_found: "No privacy request has this identifier.",
  route_not_found: "No such route.",
  method_not_allowed: "The route does not support this method.",
  invalid_transition: "The privacy request cannot change to this status.",
  body_too_large: "The body is larger than the route accepts.",
  body_already_read: "The body was read before the handler got the request: mount the handler before every body parser.",
  unsupported_media_type: "The content type or encoding is not accepted.",
  duplicate_header: "A header that may be sent only once was sent twice.",
  uri_too_long: "The URL is too long.",
  headers_too_large: "The headers are too large.",
  rate_limited: "Too many requests.",
  overloaded: "Too many operations are waiting.",
  query_timeout: "The query passed its deadline.",
  aborted: "The caller cancelled the operation or disconnected.",
  request_timeout: "The request did not arrive in time.",
  read_only: "The store does not accept writes.",
  storage_full: "The storage is full.",
  store_locked: "Another process has the store open.",
  manifest_missing: "The store is missing, or has no manifest.",
  corruption: "Stored bytes are damaged.",
  closed: "The Daybook is closed.",
  not_supported: "The operation is not supported here.",
  unreachable: "No Daybook at this address answered in time.",
  invalid_event: "An event is not valid.",
  duplicate: "An event with this id is stored already.",
  suppressed: "The subject of this event was erased.",
  expired: "An event is older than the time to live of its project's events.",
  project_not_allowed: "The token may not write to this project.",
  internal: "A defect in Daybook.",
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

export interface ErrorDetails {
  /** The invalid parameter, as a camelCase path: `filterGroups[0].filters[2].operator`. */
  readonly param?: string;
  /** The message without the parameter's name. */
  readonly reason?: string;
  readonly [key: string]: unknown;
}

/** A program that both imports and requires the package has two copies of it: an error of either is an instance of both. */
const BRAND = Symbol.for("daybook.DaybookError");

function isInstance(this: unknown, value: unknown): boolean {
  const isBranded = this === DaybookError && typeof value === "object" && value !== null && BRAND in value;
  return isBranded || Function.prototype[Symbol.hasInstance].call(this, value);
}

/** The only error class of Daybook: a code of the table, a sentence for people, and details for programs. */
export class DaybookError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  static {
    // Not declared as members, so that the types of two copies of this class fit each other.
    Object.defineProperty(this.prototype, BRAND, { value: true });
    Object.defineProperty(this, Symbol.hasInstance, { value: isInstance });
  }

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = "DaybookError";
    this.code = code;
    this.details = details;
  }
}

export function parameterError(code: ErrorCode, param: string, reason: string): DaybookError {
  return new DaybookError(code, `${param}: ${reason}`, { param, reason });
}

/** A value as text for a message: JSON, or `String()` for numbers, as JSON has no NaN or Infinity; at most 80 characters. */
export function shown(value: unknown): string {
  let text: string;
  try {
    text = typeof value === "bigint" ? `${value}n` : typeof value === "number" ? String(value) : (JSON.stringify(value) ?? String(value));
  } catch {
    text = typeof value;
  }
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

/** Asserts an invariant of our own code; never use it for input. @throws internal */
export function assert(condition: unknown, what: string): asserts condition {
  if (!condition) throw new DaybookError("internal", `invariant broken: ${what}`);
}
