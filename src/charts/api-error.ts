/** An error of a request: the server's codes, and `unreachable`. */
export class ApiError extends Error {
  constructor(
    readonly code: string,
    readonly status: number,
    readonly detail: string,
    /** Seconds until the request may be repeated; null: unknown. */
    readonly retryAfterSec: number | null,
    readonly requestId: string | null,
  ) {
    super(`${code}: ${detail}`);
  }

  /** Whether the server is overloaded, so that a later retry may succeed. */
  get isLoad(): boolean {
    return this.status === 429 || this.status === 503;
  }
}

export function asApiError(thrown: unknown): ApiError {
  return thrown instanceof ApiError ? thrown : new ApiError("internal", 0, String(thrown), null, null);
}

export function errorText(thrown: unknown): string {
  return thrown instanceof ApiError ? thrown.message : String(thrown);
}

/** The error of a response that is not OK, from its body and headers. */
export async function apiErrorOf(response: Response): Promise<ApiError> {
  const { status, headers } = response;
  const problem = problemIn(await response.text().catch(() => ""));
  const read = (name: string) => (typeof problem[name] === "string" ? problem[name] : null);
  const after = Number(headers.get("retry-after") ?? "");
  const code = read("code") ?? (status === 404 ? "route_not_found" : "internal");
  const detail = read("detail") ?? read("message") ?? `${response.url} answered with status ${status}.`;
  return new ApiError(code, status, detail, Number.isFinite(after) && after > 0 ? after : null, read("request_id"));
}

function problemIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(text);
    const problem = isObject(parsed) && isObject(parsed["error"]) ? parsed["error"] : parsed;
    return isObject(problem) ? problem : {};
  } catch {
    return {};
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

const TITLES: Readonly<Record<string, string>> = {
  unreachable: "The server cannot be reached",
  invalid_attribute: "This element is not set up correctly",
  token_unavailable: "There is no token to read this with",
  invalid_token: "This token is not valid",
  insufficient_scope: "This token is not allowed to read this",
  insufficient_role: "This token is not allowed to read this",
  organization_token_required: "This requires a token for the whole organization",
  query_timeout: "The query took too long",
  identity_not_found: "No person has this id or email",
  project_not_found: "There is no such project",
  company_not_found: "There is no such company",
};

/** An error in a few words for people. */
export function errorTitle({ code, isLoad, status }: ApiError): string {
  const title = TITLES[code];
  if (title !== undefined) return title;
  if (isLoad) return "The server is busy";
  return status >= 500 ? "Something went wrong on the server" : "The query cannot be run";
}
