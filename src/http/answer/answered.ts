import type { ErrorCode } from "../../core/base/errors.js";

/** One answered request; only the request id may be text from the caller. */
export interface Answered {
  readonly requestId: string;
  readonly method: string;
  /** Pattern of the route, such as `/v1/companies/{company_id}/top-users`; null: no route. */
  readonly route: string | null;
  readonly status: number;
  readonly code: ErrorCode | null;
  /** Null if no valid token was found. */
  readonly organization: string | null;
  readonly durationMs: number;
}

/** What is found out about a request while it is processed. */
export interface Trace {
  route: string | null;
  organization: string | null;
  code: ErrorCode | null;
  /** Headers to add to the answer, whatever that is. */
  headers: Readonly<Record<string, string>>;
}
