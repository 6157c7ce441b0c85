import type { ErrorCode } from "../../base/errors.js";

/** One answered request, in words that hold nothing of what a caller sent but the request's id. */
export interface Answered {
  readonly requestId: string;
  readonly method: string;
  /** The pattern of the route, such as `/v1/companies/{company_id}/top-users`; null where there is none. */
  readonly route: string | null;
  readonly status: number;
  readonly code: ErrorCode | null;
  /** Null where no token was known. */
  readonly organization: string | null;
  readonly durationMs: number;
}

/** What becomes known of a request on its way. */
export interface Trace {
  route: string | null;
  organization: string | null;
  code: ErrorCode | null;
  /** Headers of the answer, whatever that is. */
  headers: Readonly<Record<string, string>>;
}
