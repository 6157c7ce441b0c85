import { DaybookError } from "../../base/errors.js";

/** Any page may send. It has to be written to be meant. */
export const ANY_ORIGIN = "*";

/** Scheme, host and port as browsers write an origin; a first label of `*` stands for one or more labels. */
const ORIGIN = /^(https?):\/\/(\*\.)?([^/?#@*]+)$/i;

/** What the `*` of a pattern stands for: labels of a host, and no port, user or path. */
const LABELS = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/;

/** What is expected of an origin of a public key. */
export const EXPECTED_ORIGIN = "expected *, or an origin such as https://shop.example, http://localhost:8080 or https://*.shop.example";

/** An origin, or a pattern of origins, as it is compared; null for text that is neither. */
export function originPattern(text: string): string | null {
  if (text === ANY_ORIGIN) return text;
  const [, scheme = "", any = "", authority = ""] = ORIGIN.exec(text) ?? [];
  if (authority === "") return null;
  try {
    const { origin, protocol, host, pathname } = new URL(`${scheme}://${authority}`);
    return origin === "null" || pathname !== "/" ? null : `${protocol}//${any}${host}`;
  } catch {
    return null;
  }
}

/**
 * What an answer to a page allows: the origin itself, `*` where any may send.
 * @param origin as the browser tells it; null: it told none
 * @throws origin_not_allowed
 */
export function allowedOrigin(origin: string | null, patterns: readonly string[]): string {
  if (patterns.includes(ANY_ORIGIN)) return ANY_ORIGIN;
  if (origin !== null && patterns.some((pattern) => matches(origin, pattern))) return origin;
  const came = origin === null ? "the request names none" : `got ${JSON.stringify(origin.slice(0, 200))}`;
  throw new DaybookError("origin_not_allowed", `Origin: expected one that the key is made for, ${came}`);
}

function matches(origin: string, pattern: string): boolean {
  const at = pattern.indexOf("*.");
  if (at === -1) return origin === pattern;
  const [start, end] = [pattern.slice(0, at), pattern.slice(at + 1)];
  return origin.startsWith(start) && origin.endsWith(end) && LABELS.test(origin.slice(start.length, -end.length));
}
