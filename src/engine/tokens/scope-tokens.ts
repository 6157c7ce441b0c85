import { areSameBytes, isSameMac } from "../../core/base/bytes.js";
import { DaybookError, parameterError, shown } from "../../core/base/errors.js";
import { hmacSha256 } from "../../core/base/hash.js";
import { LIMITS } from "../../core/base/limits.js";
import { rejectUnknownOptions, type KnownOptions } from "../../core/base/options.js";
import { EXPECTED_ORGANIZATION, isOrganizationName } from "../../core/base/organization-name.js";
import { EXPECTED_ORIGIN, originPattern } from "../../core/base/origin.js";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import { isoOf, MS_PER_DAY, parseTimestamp, type Clock } from "../../core/base/time.js";
import { checkPatterns } from "../../query/filter/regex.js";
import type { DateInput } from "../../query/plan/input.js";
import { planScope, type Scope } from "../../query/plan/scope.js";
import { QUERY_NAMES } from "../../query/queries.js";
import { SIGNING_KEY_COUNT, signingKeysIn, type SigningKeys } from "../../store/files/signing-keys.js";
import { defaultCodec } from "../../store/storage/codec.js";
import type { StoreServices } from "../upkeep/housekeeping.js";
import { decodeScopeToken, encodeScopeToken, ExpiredScopeToken, invalidScopeToken } from "./scope-token.js";

/** How long a signed token is valid, and where. */
export interface SignScopeOptions {
  /** From now: whole seconds, or a text such as `90s`, `15m`, `1h` or `7d`. Exactly one of `expiresIn` and `expiresAt`. */
  readonly expiresIn?: number | string | null | undefined;
  /** A timestamp with a zone, or a `Date`. */
  readonly expiresAt?: DateInput | null | undefined;
  /** True: the token may be valid for 366 days instead of 24 hours. Only a rotation of the signing key revokes it. */
  readonly longLived?: boolean | null | undefined;
  /** Pages that may use the token in browsers: `https://shop.example`, `https://*.shop.example`; `*` for any. Absent: none, servers only. */
  readonly origins?: readonly string[] | null | undefined;
  /** The name under which `createHandler` serves this Daybook. Default: `default`. */
  readonly organization?: string | null | undefined;
}

/** What a valid signed token opens. */
export interface VerifiedScope {
  readonly scope: Scope;
  readonly organization: string;
  /** ISO 8601, UTC. */
  readonly expiresAt: string;
  /** Null: none, servers only. */
  readonly origins: readonly string[] | null;
}

const KNOWN: KnownOptions<SignScopeOptions> = { expiresIn: true, expiresAt: true, longLived: true, origins: true, organization: true };
const UNIT_SEC = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;
const { signedTokenChars, signedScopeBytes, signedTokenMs, longLivedTokenDays, signerAheadMs, signedTokenOriginCount, verifiedTokenCount } = SERVER_LIMITS;

interface ScopeTokenServices {
  readonly keys: SigningKeys;
  readonly clock: Clock;
  readonly random: (bytes: Uint8Array) => void;
  /** Runs a change of the stored keys, one at a time. @throws read_only, storage_full, closed */
  readonly change: (write: () => Promise<void>) => Promise<void>;
}

interface VerifiedToken {
  readonly organization: string;
  readonly issuedMs: number;
  readonly expiresMs: number;
  /** JSON: each verification returns values of its own. */
  readonly payload: string;
}

interface Payload {
  readonly scope: Scope;
  readonly origins?: readonly string[];
}

/** Signs scopes under a key of the store, and verifies them. Stores nothing but the keys. */
export class ScopeTokens {
  /** Newest first; the first signs, all verify. */
  #keys: readonly Uint8Array[] = [];
  #readMs = -Infinity;
  #reading: Promise<void> | null = null;
  readonly #verified = new Map<string, VerifiedToken>();
  readonly #services: ScopeTokenServices;

  constructor(services: ScopeTokenServices) {
    this.#services = services;
  }

  /** As `signScope` of a Daybook. */
  async sign(scope: Scope, options: SignScopeOptions): Promise<string> {
    const { clock } = this.#services;
    rejectUnknownOptions(options, KNOWN);
    const nowMs = clock.now();
    const expiresMs = expiryOf(options, nowMs);
    const origins = originsOf(options);
    const payload = new TextEncoder().encode(JSON.stringify({ scope: await checkedScope(scope), ...(origins === null ? {} : { origins }) }));
    const parts = { organization: organizationOf(options), issuedMs: nowMs, expiresMs, payloadByteLength: payload.length };
    const deflatedPayload = await defaultCodec.deflate(payload);
    const key = await this.#signingKey();
    const token = encodeScopeToken({ ...parts, deflatedPayload }, (signed) => hmacSha256(key, signed));
    if (token.length <= signedTokenChars && payload.length <= signedScopeBytes) return token;
    const sizes = `a token of ${token.length} characters for ${payload.length} bytes`;
    throw parameterError("invalid_parameter", "scope", `expected a token of at most ${signedTokenChars} characters for at most ${signedScopeBytes} bytes of JSON, got ${sizes}`);
  }

  /** As `verifyScopeToken` of a Daybook. */
  async verify(token: string): Promise<VerifiedScope> {
    await this.#refresh(LIMITS.followLateMs);
    const verified = typeof token === "string" ? (this.#verified.get(token) ?? (await this.#decode(token))) : null;
    const nowMs = this.#services.clock.now();
    if (verified === null) throw invalidScopeToken();
    const { scope, origins = null } = JSON.parse(verified.payload) as Payload;
    if (verified.expiresMs <= nowMs || verified.issuedMs > nowMs + signerAheadMs) throw invalidScopeToken(new ExpiredScopeToken(origins));
    return { scope, organization: verified.organization, expiresAt: isoOf(verified.expiresMs), origins };
  }

  /** As `rotateSigningKey` of a Daybook. */
  async rotate(): Promise<void> {
    await this.#services.change(async () => {
      await this.#refresh(0);
      await this.#write([this.#newKey(), ...this.#keys].slice(0, SIGNING_KEY_COUNT));
    });
  }

  /** Null: no key of this store signed it. Nothing of it is inflated before that is known. */
  async #decode(token: string): Promise<VerifiedToken | null> {
    const sent = decodeScopeToken(token);
    if (sent === null || !this.#keys.some((key) => isSameMac(sent.mac, hmacSha256(key, sent.signed)))) return null;
    const keys = this.#keys;
    const payload = new TextDecoder().decode(await defaultCodec.inflate(sent.deflatedPayload, sent.payloadByteLength));
    const verified = { organization: sent.organization, issuedMs: sent.issuedMs, expiresMs: sent.expiresMs, payload };
    if (this.#verified.size >= verifiedTokenCount) this.#verified.clear();
    // The keys may have changed while the code that inflates was loaded.
    if (this.#keys === keys) this.#verified.set(token, verified);
    return verified;
  }

  async #signingKey(): Promise<Uint8Array> {
    await this.#refresh(0);
    if (this.#keys.length === 0)
      await this.#services.change(async () => {
        await this.#refresh(0);
        if (this.#keys.length === 0) await this.#write([this.#newKey()]);
      });
    const [key] = this.#keys;
    if (key === undefined) throw new DaybookError("internal", "a store that signs has a key");
    return key;
  }

  #newKey(): Uint8Array {
    const key = new Uint8Array(32);
    this.#services.random(key);
    return key;
  }

  async #write(keys: readonly Uint8Array[]): Promise<void> {
    await this.#services.keys.write(keys);
    this.#use(keys);
  }

  /** Reads the keys again if the last read is older: another process may have rotated them. @throws corruption */
  async #refresh(ageMaxMs: number): Promise<void> {
    if (performance.now() - this.#readMs < ageMaxMs) return;
    // A read that is under way may have begun before a change that this caller must see.
    if (ageMaxMs === 0) await this.#reading;
    this.#reading ??= this.#read().finally(() => (this.#reading = null));
    await this.#reading;
  }

  async #read(): Promise<void> {
    const startedMs = performance.now();
    const keys = await this.#services.keys.read();
    if (keys.length !== this.#keys.length || keys.some((key, at) => !areSameBytes(key, this.#keys[at] ?? null))) this.#use(keys);
    this.#readMs = startedMs;
  }

  #use(keys: readonly Uint8Array[]): void {
    this.#keys = keys;
    this.#verified.clear();
  }
}

/** The tokens of an open store. */
export function scopeTokensOf({ store, housekeeping, queue, clock }: StoreServices, random: (bytes: Uint8Array) => void): ScopeTokens {
  const change = (write: () => Promise<void>) => {
    store.assertWritable();
    return housekeeping.exclusive(queue, async () => {
      store.assertWritable();
      await store.refuseTakenOver();
      await write();
    });
  };
  return new ScopeTokens({ keys: signingKeysIn(store.storage), clock, random, change });
}

/** The scope as JSON keeps it, checked in that form. @throws what `planScope` throws, invalid_regex */
async function checkedScope(scope: Scope): Promise<Scope> {
  // The original too: JSON drops values that it cannot represent, which would widen the scope.
  planScope(scope, QUERY_NAMES);
  const copy = jsonCopyOf(scope);
  await checkPatterns(planScope(copy, QUERY_NAMES).patterns);
  return copy as Scope;
}

/** Dates become texts; undefined members are dropped. @throws invalid_parameter */
function jsonCopyOf(scope: unknown): unknown {
  let text: string | undefined;
  try {
    text = JSON.stringify(scope);
  } catch (error) {
    throw parameterError("invalid_parameter", "scope", `expected values that JSON can carry (${(error as Error).message})`);
  }
  return text === undefined ? scope : JSON.parse(text);
}

/** Epoch ms. @throws exactly_one_required, invalid_parameter, invalid_date */
function expiryOf(options: SignScopeOptions, nowMs: number): number {
  const expiresIn = options.expiresIn ?? null;
  const expiresAt = options.expiresAt ?? null;
  const longLived = options.longLived ?? false;
  if ((expiresIn === null) === (expiresAt === null)) throw parameterError("exactly_one_required", "expiresIn", "expected exactly one of expiresIn and expiresAt");
  if (typeof longLived !== "boolean") throw parameterError("invalid_parameter", "longLived", `expected true or false, got ${shown(longLived)}`);
  const [param, ms] = expiresIn === null ? ["expiresAt", instantOf(expiresAt)] : ["expiresIn", nowMs + secondsOf(expiresIn) * 1_000];
  const given = shown(expiresIn ?? expiresAt);
  if (ms <= nowMs) throw parameterError("invalid_parameter", param, `expected an instant in the future, got ${given}`);
  if (ms > nowMs + longLivedTokenDays * MS_PER_DAY) throw parameterError("invalid_parameter", param, `expected at most ${longLivedTokenDays} days from now, got ${given}`);
  if (!longLived && ms > nowMs + signedTokenMs)
    throw parameterError("invalid_parameter", param, `expected at most 24 hours from now, or up to ${longLivedTokenDays} days with longLived, got ${given}`);
  return ms;
}

function secondsOf(expiresIn: unknown): number {
  const [, count, unit] = (typeof expiresIn === "string" && /^(\d{1,9})([smhd])$/.exec(expiresIn)) || [];
  const seconds = count === undefined ? expiresIn : Number(count) * UNIT_SEC[unit as keyof typeof UNIT_SEC];
  if (typeof seconds === "number" && Number.isSafeInteger(seconds) && seconds > 0) return seconds;
  throw parameterError("invalid_parameter", "expiresIn", `expected whole seconds, or a text such as 90s, 15m, 1h or 7d, got ${shown(expiresIn)}`);
}

function instantOf(expiresAt: unknown): number {
  const ms = expiresAt instanceof Date ? expiresAt.getTime() : typeof expiresAt === "string" ? parseTimestamp(expiresAt) : null;
  if (ms !== null && !Number.isNaN(ms)) return ms;
  throw parameterError("invalid_date", "expiresAt", `expected an RFC 3339 timestamp with a zone or a Date, got ${shown(expiresAt)}`);
}

/** Normalized; null: none. @throws invalid_parameter */
function originsOf({ origins }: SignScopeOptions): readonly string[] | null {
  if (origins === undefined || origins === null) return null;
  if (!Array.isArray(origins) || origins.length === 0 || origins.length > signedTokenOriginCount)
    throw parameterError("invalid_parameter", "origins", `expected a list of 1 to ${signedTokenOriginCount} origins, got ${shown(origins)}`);
  return origins.map((origin: unknown, at) => {
    const pattern = typeof origin === "string" ? originPattern(origin) : null;
    if (pattern === null) throw parameterError("invalid_parameter", `origins[${at}]`, `${EXPECTED_ORIGIN}, got ${shown(origin)}`);
    return pattern;
  });
}

function organizationOf({ organization }: SignScopeOptions): string {
  const name = organization ?? "default";
  if (isOrganizationName(name)) return name;
  throw parameterError("invalid_parameter", "organization", `${EXPECTED_ORGANIZATION}, got ${shown(name)}`);
}
