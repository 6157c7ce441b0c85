import { deflateSync, gzipSync } from "node:zlib";
import { routes } from "../../../src/http/routes/table.js";
import type { Route } from "../../../src/http/routing/route.js";
import type { Random } from "../../../src/testing/random.js";
import { bodyFor } from "./bodies.js";
import { STRANGE_TEXTS, brokenText, mutated } from "./json-mutation.js";

/** A request as bytes could say it; names of headers in any case, some of them twice. */
export interface FuzzRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array | null;
}

/** What later requests may refer to. */
export interface Memory {
  readonly etags: string[];
  readonly ids: string[];
  readonly cursors: string[];
}

const METHODS = ["GET", "POST", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND"];
const PARAMETERS = ["shop", "site", "default", "nope", "acme", "%73hop", "..", "%2e%2e", "%00", "%", "%ff", "é", "%C3%A9", "a".repeat(300), "{id}", "__proto__", ""];
const QUERY_NAMES = ["user_id", "email", "start_date", "end_date", "limit", "cursor", "range_days", "sort", "level", "model", "dimension", "__proto__", "token", "%75ser_id", "%", ""];
const QUERY_VALUES = ["u1", "ann@example.org", "2026-03-01", "5", "+5", "05", "1e3", "-1", "99999999999999999999", "users", "account", "identity", "%zz", "%00", "a%2Bb", "", "x".repeat(5_000)];
const CONTENT_TYPES = ["application/json", "application/json; charset=utf-8", "text/plain", "application/x-ndjson", "application/json; charset=latin1", "multipart/form-data", "", ";", "application/JSON"];
const ENCODINGS = ["gzip", "deflate", "identity", "br", "GZIP", "gzip, gzip", "constructor", ""];
const RARE_TOKENS = ["sk_shop_0123456789abcdefgh", "sk_other_0123456789abcdefgh", "sk_analytics_0123456789abcdefgh", "sk_search_0123456789abcdefgh", "sk_write_0123456789abcdefgh", "sk_expired_0123456789abcdefgh", "sk_revoked_0123456789abcdefgh", "sk_nowhere_0123456789abcdefgh", "sk_unknown_0123456789abcdefgh"];
const GARBLED = ["", "Bearer", "Bearer ", "Bearer  sk_a_0123456789abcdefgh sk_b_0123456789abcdefgh", "Basic", "Basic !!!", "Basic c2tfb3duZXI=", "Digest x", "sk_owner_0123456789abcdefgh", "bearer\tsk_owner", "Bearer é", `Bearer ${"a".repeat(2_000)}`];

export function fuzzRequest(random: Random, memory: Memory): FuzzRequest {
  const route = random.pick(routes);
  const method = random.chance(0.95) ? (route.method === "GET" && random.chance(0.1) ? "HEAD" : route.method) : random.pick(METHODS);
  const { body, headers } = method === "GET" || method === "HEAD" ? { body: null, headers: [] } : bodyOf(route, random);
  return { method, target: targetOf(route, random, memory), headers: [...headers, ...headersOf(random, memory)], body };
}

function targetOf(route: Route, random: Random, memory: Memory): string {
  const parameter = (name: string) => {
    if (name === "{id}" && memory.ids.length > 0 && random.chance(0.7)) return random.pick(memory.ids);
    return random.pick(random.chance(0.7) ? PARAMETERS.slice(0, 5) : PARAMETERS);
  };
  let path = route.path.replace(/\{\w+\}/g, parameter);
  if (random.chance(0.05)) path = random.pick([`${path}/`, `/${path}`, path.toUpperCase(), `${path}%20`, path.slice(0, random.below(path.length) + 1), "/", "/%", "*"]);
  if (!path.startsWith("/v1/identities") && random.chance(0.85)) return path;
  const cursors = memory.cursors.map(encodeURIComponent);
  const pair = () => {
    const name = random.pick(random.chance(0.8) ? QUERY_NAMES.slice(0, 6) : QUERY_NAMES);
    const value = name === "cursor" && cursors.length > 0 ? random.pick(cursors) : random.pick(random.chance(0.8) ? QUERY_VALUES.slice(0, 4) : QUERY_VALUES);
    return random.chance(0.95) ? `${name}=${value}` : random.pick([name, "&", "=", `${name}==${value}`, "#x"]);
  };
  return `${path}?${Array.from({ length: random.below(4) }, pair).join("&")}`;
}

function bodyOf(route: Route, random: Random): Pick<FuzzRequest, "headers"> & { body: Uint8Array } {
  let value = bodyFor(route.path, random);
  for (let left = random.chance(0.5) ? 0 : random.between(1, 3); left > 0; left -= 1) value = mutated(value, random);
  const isLines = route.path === "/v1/events" && Array.isArray(value) && random.chance(0.3);
  const text = isLines ? (value as unknown[]).map((line) => JSON.stringify(line)).join(random.pick(["\n", "\r\n", "\n\n"])) : (JSON.stringify(value) ?? "");
  let body = random.chance(0.1) ? brokenText(text, random) : new TextEncoder().encode(text);
  const headers: [string, string][] = [];
  const type = isLines ? "application/x-ndjson" : "application/json";
  if (random.chance(0.9)) headers.push([cased("content-type", random), random.chance(0.9) ? type : random.pick(CONTENT_TYPES)]);
  if (random.chance(0.2)) {
    const encoding = random.chance(0.8) ? random.pick(["gzip", "deflate"]) : random.pick(ENCODINGS);
    headers.push([cased("content-encoding", random), encoding]);
    if (encoding === "gzip") body = new Uint8Array(gzipSync(body));
    else if (encoding === "deflate") body = new Uint8Array(deflateSync(body));
    if (random.chance(0.3)) body = body.subarray(0, random.below(body.length + 1));
    else if (random.chance(0.2)) body = body.map((byte) => (random.chance(0.05) ? byte ^ (1 << random.below(8)) : byte));
  }
  return { body, headers };
}

function headersOf(random: Random, memory: Memory): [string, string][] {
  const headers: [string, string][] = [];
  const add = (name: string, value: string) => headers.push([cased(name, random), value]);
  const token = random.chance(0.8) ? "sk_owner_0123456789abcdefgh" : random.pick(RARE_TOKENS);
  if (random.chance(0.95)) add("authorization", random.chance(0.95) ? `Bearer ${token}` : `Basic ${btoa(`${token}:`)}`);
  else if (random.chance(0.8)) add("authorization", random.pick(GARBLED));
  if (random.chance(0.02)) add("authorization", "Bearer sk_owner_0123456789abcdefgh");
  if (random.chance(0.2)) add("if-none-match", random.pick(["*", '"x"', "W/", `W/${memory.etags.at(-1) ?? '"y"'}`, memory.etags.at(-1) ?? "*", ",,,", `"${"e".repeat(3_000)}"`]));
  if (random.chance(0.1)) add("x-request-id", random.pick(["abc-1", "a b", "x".repeat(200), "é", "sk_owner_0123456789abcdefgh", "a\tb"]));
  if (random.chance(0.1)) add("accept", random.pick(["*/*", "text/html", "application/vnd.apache.arrow.stream", ";q="]));
  if (random.chance(0.05)) add(random.pick(["x-forwarded-for", "cookie", "origin", "range", "if-match", "te", "via"]), random.pick(STRANGE_TEXTS).replaceAll(/[^\x20-\x7e]/g, "?"));
  if (random.chance(0.02)) for (let left = 150; left > 0; left -= 1) add(`x-${left}`, "y");
  if (random.chance(0.02)) add("x-long", "z".repeat(9_000));
  return random.shuffled(headers);
}

function cased(name: string, random: Random): string {
  if (random.chance(0.7)) return name;
  return [...name].map((letter) => (random.chance(0.5) ? letter.toUpperCase() : letter)).join("");
}
