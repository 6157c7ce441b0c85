import { ApiError } from "../charts/api-error.js";
import { isRecord } from "./query.js";

/** Where the token of requests comes from. */
export interface TokenSource {
  /** Equal sources are the same to equal queries. */
  readonly key: string;
  /** @throws ApiError */
  token(): Promise<string>;
  /** Another token than one that the server refused; null: there is none. @throws ApiError */
  replacement(refused: string): Promise<string | null>;
  /** Uses no token that was issued before. */
  forget(): void;
}

export function fixedToken(value: string): TokenSource {
  return { key: `token ${value}`, token: () => Promise.resolve(value), replacement: () => Promise.resolve(null), forget: () => undefined };
}

interface IssuedToken {
  readonly value: string;
  /** Infinity: unknown. */
  readonly expiresMs: number;
}

/** A token is replaced this long before it expires. */
const RENEWAL_MS = 60_000;

/** Fetches tokens from a URL of the surrounding page: when a query needs one and the last one has less than a minute left. */
export class IssuedTokens implements TokenSource {
  readonly key: string;
  #held: IssuedToken | null = null;
  #fetching: Promise<IssuedToken> | null = null;

  constructor(readonly url: string) {
    this.key = `url ${url}`;
  }

  async token(): Promise<string> {
    const held = this.#held;
    return held !== null && Date.now() < held.expiresMs - RENEWAL_MS ? held.value : await this.#renewed();
  }

  async replacement(refused: string): Promise<string> {
    const held = this.#held;
    return held !== null && held.value !== refused ? held.value : await this.#renewed();
  }

  forget(): void {
    this.#held = null;
    this.#fetching = null;
  }

  /** One request for all that need a token now. */
  async #renewed(): Promise<string> {
    const fetching = (this.#fetching ??= issuedToken(this.url));
    try {
      const issued = await fetching;
      if (this.#fetching === fetching) this.#held = issued;
      return issued.value;
    } finally {
      if (this.#fetching === fetching) this.#fetching = null;
    }
  }
}

async function issuedToken(url: string): Promise<IssuedToken> {
  const response = await fetch(url, { credentials: "include", cache: "no-store", headers: { Accept: "application/json, text/plain" } }).catch(() => null);
  if (response === null) throw tokenError(0, `token-url: ${url} cannot be reached.`);
  if (!response.ok) throw tokenError(response.status, `token-url: ${url} answered with status ${response.status}.`);
  const text = (await response.text()).trim();
  const answer = text.startsWith("{") ? objectIn(text) : { token: text };
  const value = answer["token"];
  if (typeof value !== "string" || !/^[\x21-\x7e]+$/.test(value)) throw tokenError(0, `token-url: expected {"token": "…"} or a token as text from ${url}.`);
  return { value, expiresMs: expiresMs(answer["expires_at"] ?? answer["expiresAt"] ?? null, url) };
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(text);
    return isRecord(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

function expiresMs(value: unknown, url: string): number {
  if (value === null) return Infinity;
  const ms = typeof value === "string" ? Date.parse(value) : NaN;
  if (Number.isNaN(ms)) throw tokenError(0, `token-url: expected "expires_at" as a time such as 2026-03-01T12:00:00Z from ${url}, got ${JSON.stringify(value)}.`);
  return ms;
}

/** Keeps the status, so that the token is fetched again soon if the server is overloaded. */
function tokenError(status: number, detail: string): ApiError {
  return new ApiError("token_unavailable", status, detail, null, null);
}
