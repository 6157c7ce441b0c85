import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import { evictFor } from "./authenticator.js";

type Headers = Readonly<Record<string, string>>;

const NONE: Headers = {};
/** Longer origins are not remembered. */
const ORIGIN_CHARS_MAX = 200;

/**
 * CORS headers that answers to signed tokens had, by token and origin of the page. A refusal that comes before the token is verified has them too, so
 * that a page learns why it was refused: the token was once found to be signed here for this origin.
 */
export class KnownOrigins {
  readonly #allowed = new Map<string, string>();

  /** Call with the headers of each answer to a signed token that was verified: without CORS headers, nothing is known any more. */
  remember(sha256: string, origin: string | null, headers: Headers): void {
    if (origin === null || origin.length > ORIGIN_CHARS_MAX) return;
    const name = nameOf(sha256, origin);
    const allowed = headers["access-control-allow-origin"];
    if (allowed === undefined) this.#allowed.delete(name);
    else if (!this.#allowed.has(name)) evictFor(this.#allowed, name, SERVER_LIMITS.countedTokenCount).set(name, allowed);
  }

  /** CORS headers for a token and an origin; none if nothing is known. Reads memory only. */
  headersOf(sha256: string | null, origin: string | null): Headers {
    const allowed = sha256 === null || origin === null ? undefined : this.#allowed.get(nameOf(sha256, origin));
    return allowed === undefined ? NONE : corsOf(allowed);
  }
}

export function corsOf(allowed: string): Headers {
  return allowed === "*" ? { "access-control-allow-origin": allowed } : { "access-control-allow-origin": allowed, vary: "Origin" };
}

function nameOf(sha256: string, origin: string): string {
  return `${sha256} ${origin}`;
}
