import { DaybookError, ERROR_CODES } from "../base/errors.js";
import type { ErrorCode } from "../base/errors.js";

/** What came back, read to its end. */
export interface Answered {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  /** From the header; null where it is missing. */
  readonly requestId: string | null;
  readonly retryAfter: string | null;
}

/** The error that a server of ours told; one with `unreachable` for what no Daybook says. */
export function answerError(answered: Answered, request: string): DaybookError {
  const { status } = answered;
  const problem = problemOf(answered);
  if (problem === null) return notOurs(answered, request);
  const { code, detail, param, errors, request_id } = problem;
  const requestId = request_id ?? answered.requestId;
  const reason = param !== undefined && detail.startsWith(`${param}: `) ? detail.slice(param.length + 2) : undefined;
  return new DaybookError(code, detail, {
    ...(param === undefined ? {} : { param }),
    ...(reason === undefined ? {} : { reason }),
    ...(errors === undefined ? {} : { errors }),
    status,
    ...(requestId === null ? {} : { requestId }),
  });
}

/** The error of an answer that is none of a Daybook, such as a proxy's page. */
export function notOurs({ status, type, requestId }: Answered, request: string): DaybookError {
  const what = status >= 300 && status < 400 ? "a redirect, which is not followed" : type === "" ? "no content type" : type;
  const message = `${request}: expected the answer of a Daybook, got status ${status} and ${what}`;
  return new DaybookError("unreachable", message, { status, ...(requestId === null ? {} : { requestId }) });
}

interface Problem {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly param?: string;
  readonly errors?: unknown;
  readonly request_id?: string;
}

function problemOf({ type, text }: Answered): Problem | null {
  if (!type.startsWith("application/problem+json")) return null;
  try {
    const { code, detail } = JSON.parse(text) as Partial<Problem>;
    if (code === undefined || !Object.hasOwn(ERROR_CODES, code) || typeof detail !== "string") return null;
    return JSON.parse(text) as Problem;
  } catch {
    return null;
  }
}
