import type { IncomingMessage } from "node:http";
import { gunzipSync } from "node:zlib";
import type { Terms } from "./engine.js";

/** A statement as it came over HTTP. */
export interface Asked {
  readonly statement: string;
  /** What follows the first line of an insert. */
  readonly rows: Buffer;
  readonly terms: Terms;
  /** The request as it came. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Whether a server ends it when the client goes away. */
  readonly isEndedWithClient: boolean;
}

/** What only the HTTP interface acts upon; in a session `readonly` could not be taken back. */
const OF_HTTP = ["readonly", "cancel_http_readonly_queries_on_client_close"];

/** Members of the address that are no settings. */
const OWN = new Set([
  "query", "database", "query_id", "session_id", "role", "enable_http_compression", "send_progress_in_http_headers", "wait_end_of_query",
]);

/** Reads a request to ClickHouse's HTTP interface: the statement in the address, in the body or in a part of it, its parameters and settings. */
export async function readAsked(request: IncomingMessage): Promise<Asked> {
  const { search, searchParams } = new URL(request.url ?? "/", "http://localhost");
  for (const member of search.slice(1).split("&")) checkField(member);
  const sent = await bodyOf(request);
  const body = request.headers["content-encoding"] === "gzip" ? gunzipSync(sent) : sent;
  const parts = partsOf(request.headers["content-type"] ?? "", body);
  const members = [...searchParams, ...parts];
  const params = Object.fromEntries(members.filter(([name]) => name.startsWith("param_")).map(([name, value]) => [name.slice(6), value]));
  const all = Object.fromEntries([...searchParams].filter(([name]) => !name.startsWith("param_") && !OWN.has(name)));
  const settings = Object.fromEntries(Object.entries(all).filter(([name]) => !OF_HTTP.includes(name)));
  const isReadOnly = Number(all["readonly"] ?? 0) > 0;
  const isEndedWithClient = isReadOnly && all["cancel_http_readonly_queries_on_client_close"] === "1";
  const terms = { database: searchParams.get("database") ?? "default", settings, params };
  const inAddress = searchParams.get("query");
  const passed = ["content-type", "content-encoding"].flatMap((name) => (typeof request.headers[name] === "string" ? [[name, request.headers[name]]] : []));
  const rest = { terms, isEndedWithClient, url: request.url ?? "/", headers: Object.fromEntries(passed) as Record<string, string>, body: sent };
  const asked = parts.length > 0 ? { statement: new Map(parts).get("query") ?? "", rows: Buffer.alloc(0), ...rest }
    : inAddress === null ? { statement: body.toString(), rows: Buffer.alloc(0), ...rest } : { statement: inAddress, rows: body, ...rest };
  const isRefused = isReadOnly && !/^\s*(SELECT|WITH)\b/.test(asked.statement);
  if (isRefused) throw new Error("Code: 164. DB::Exception: Cannot execute query in readonly mode. (READONLY)");
  return asked;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** What a server reads of a field of a form or of an address as it stands there, unless its own configuration says something else. */
const FIELD_BYTES = 131_072;

function checkField(text: string): void {
  if (Buffer.byteLength(text) > FIELD_BYTES) throw new Error("Code: 1000. DB::Exception: HTML Form Exception: Field value too long. (POCO_EXCEPTION)");
}

/** Names and texts of a form's parts; none where the body is no form. */
function partsOf(contentType: string, body: Buffer): [string, string][] {
  const [, boundary] = /^multipart\/form-data; boundary=(.+)$/.exec(contentType) ?? [];
  if (boundary === undefined) return [];
  const pieces = body.toString().split(`--${boundary}`).slice(1, -1);
  return pieces.map((piece) => {
    const end = piece.indexOf("\r\n\r\n");
    const [, name = ""] = /name="([^"]*)"/.exec(piece.slice(0, end)) ?? [];
    const text = piece.slice(end + 4, -2);
    checkField(text);
    return [name, text];
  });
}
