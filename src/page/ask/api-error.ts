/** An error of a request, by code: those of the server, and `unreachable`. */
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

  /** Whether the token is not, or no longer, valid. */
  get isSignedOut(): boolean {
    return this.status === 401;
  }
}

/** The error in a response; without a readable body, it is made from the status. */
export async function apiErrorOf(response: Response): Promise<ApiError> {
  const told = problemIn(await response.text().catch(() => ""));
  const after = Number(response.headers.get("retry-after") ?? "");
  const retryAfterSec = Number.isFinite(after) && after > 0 ? after : null;
  const code = told.code ?? (response.status === 404 ? "route_not_found" : "internal");
  return new ApiError(
    code,
    response.status,
    told.detail ?? `The server answered with status ${response.status}.`,
    retryAfterSec,
    told.requestId ?? null,
  );
}

interface ApiProblem {
  readonly code?: string;
  readonly detail?: string;
  readonly requestId?: string;
}

function problemIn(text: string): ApiProblem {
  try {
    const parsed: unknown = JSON.parse(text);
    const told = isObject(parsed) && isObject(parsed["error"]) ? parsed["error"] : parsed;
    if (!isObject(told)) return {};
    const read = (name: string) => (typeof told[name] === "string" ? told[name] : undefined);
    const [code, detail, requestId] = [read("code"), read("detail") ?? read("message"), read("request_id")];
    return { ...(code !== undefined && { code }), ...(detail !== undefined && { detail }), ...(requestId !== undefined && { requestId }) };
  } catch {
    return {};
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
