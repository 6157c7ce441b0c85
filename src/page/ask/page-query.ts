/** A request to a documented route. The type parameter is the type of its response. */
export interface PageQuery<A> {
  readonly method: "GET" | "POST";
  /** With its query string, percent-encoded, from the root of the API: `/v1/projects`. */
  readonly path: string;
  readonly body: object | null;
  /** Never set: only carries the type. */
  readonly answers?: A;
}

export function get<A>(path: string, query: Readonly<Record<string, string | number | null>> = {}): PageQuery<A> {
  const params = Object.entries(query).flatMap(([name, value]) => (value === null || value === "" ? [] : [[name, String(value)]]));
  const text = new URLSearchParams(params).toString();
  return { method: "GET", path: text === "" ? path : `${path}?${text}`, body: null };
}

export function post<A>(path: string, body: object): PageQuery<A> {
  return { method: "POST", path, body };
}

/** A key that identifies a query. */
export function keyOf({ method, path, body }: PageQuery<unknown>): string {
  return `${method} ${path} ${body === null ? "" : JSON.stringify(body)}`;
}

/** The query as a curl command. The token is a shell variable, never the token itself. */
export function curlOf({ method, path, body }: PageQuery<unknown>, origin: string): string {
  const lines = [`curl ${shellText(`${origin}${path}`)}`, `-H "Authorization: Bearer $TOKEN"`];
  if (method === "POST" && body === null) lines.push("-X POST");
  if (body !== null) lines.push(`-H "Content-Type: application/json"`, `-d ${shellText(JSON.stringify(body))}`);
  return lines.join(" \\\n  ");
}

function shellText(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
