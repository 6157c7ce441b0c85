import { DaybookError } from "./errors.js";

/** Allows pages of any origin. Never a default: a list must name it. */
const ANY_ORIGIN = "*";

/** Scheme, host and port as browsers send an origin; a first label of `*` stands for one or more labels. */
const ORIGIN = /^(https?):\/\/(\*\.)?([^/?#@*]+)$/i;

/** Matches what the `*` of a pattern stands for: labels of a host, without port, user or path. */
const LABELS = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/;

export const EXPECTED_ORIGIN = "expected *, or an origin such as https://shop.example, http://localhost:8080 or https://*.shop.example";

/** Normalizes an origin, or a pattern of origins, for comparison; null for any other text. */
export function originPattern(text: string): string | null {
  if (text === ANY_ORIGIN) return text;
  const [, scheme = "", wildcard = "", authority = ""] = ORIGIN.exec(text) ?? [];
  if (authority === "") return null;
  try {
    const { origin, protocol, host, pathname } = new URL(`${scheme}://${authority}`);
    return origin === "null" || pathname !== "/" ? null : `${protocol}//${wildcard}${host}`;
  } catch {
    return null;
  }
}

/**
 * The value of `Access-Control-Allow-Origin` for a page: its origin, or `*` if the list allows any.
 * @param origin as the browser sent it; null: none
 * @throws origin_not_allowed
 */
export function allowedOrigin(origin: string | null, patterns: readonly string[]): string {
  const allowed = allowedOriginOrNull(origin, patterns);
  if (allowed !== null) return allowed;
  const actual = origin === null ? "but the request has none" : `got ${JSON.stringify(origin.slice(0, 200))}`;
  throw new DaybookError("origin_not_allowed", `Origin: expected an origin on the list of the key or token, ${actual}`);
}

/** The same; null if the page is not allowed. */
export function allowedOriginOrNull(origin: string | null, patterns: readonly string[]): string | null {
  if (patterns.includes(ANY_ORIGIN)) return ANY_ORIGIN;
  return origin !== null && patterns.some((pattern) => matches(origin, pattern)) ? origin : null;
}

function matches(origin: string, pattern: string): boolean {
  const at = pattern.indexOf("*.");
  if (at === -1) return origin === pattern;
  const [start, end] = [pattern.slice(0, at), pattern.slice(at + 1)];
  return origin.startsWith(start) && origin.endsWith(end) && LABELS.test(origin.slice(start.length, -end.length));
}
