import type { Clock } from "../../core/base/clock.js";
import { DaybookError } from "../../core/base/errors.js";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import { liveToken, missingToken, tokenIn } from "./access.js";
import type { WireRequest } from "../wire/exchange.js";
import { FailedTokens } from "./failed-tokens.js";
import type { FailedTokenLimits } from "./failed-tokens.js";
import { networkOf } from "./network.js";
import type { TokenRecord } from "./token.js";
import type { TokenStore } from "./tokens.js";

/** Authenticates callers by their tokens, and slows down those that guess. */
export class Authenticator {
  readonly #failed: FailedTokens;
  /** By the hash of a token that was valid when last used. */
  readonly #organizations = new Map<string, string>();

  constructor(
    readonly tokens: TokenStore,
    readonly clock: Clock,
    limits: FailedTokenLimits,
    readonly sha256Hex: (text: string) => string,
  ) {
    this.#failed = new FailedTokens(limits, clock);
  }

  /** Authenticates the secret token in the header of a request. @throws missing_token, invalid_token, rate_limited */
  async authenticate(request: WireRequest, address: string | undefined, takesBasic = false): Promise<TokenRecord> {
    return await this.#open(this.#hashOf(request, takesBasic), address);
  }

  /** Authenticates a secret token that a client library sends elsewhere. @throws invalid_token, rate_limited */
  async secretKey(value: string, address: string | undefined): Promise<TokenRecord> {
    return await this.#open(this.sha256Hex(value), address);
  }

  /** Refuses an address that may not try more tokens, before its token is known. @throws rate_limited */
  refuseStrangers(address: string | undefined): void {
    this.#failed.refuseStrangers(address === undefined ? null : networkOf(address));
  }

  /** Counts a request without a key like one with an unknown key, because it costs as much. */
  broughtNone(address: string | undefined): void {
    this.#failed.failed(address === undefined ? null : networkOf(address));
  }

  async #open(hash: string, address: string | undefined): Promise<TokenRecord> {
    const network = address === undefined ? null : networkOf(address);
    try {
      const token = await liveToken(hash, "secret", this.tokens, this.clock);
      this.#failed.opened(network);
      this.#remember(hash, token.organization);
      return token;
    } catch (thrown) {
      this.#organizations.delete(hash);
      if (thrown instanceof DaybookError && thrown.code === "invalid_token") this.#failed.failed(network);
      throw thrown;
    }
  }

  /** The record of a public key. Nothing is remembered about the sender, because the addresses are visitors'. @throws invalid_token */
  async publicKey(value: string): Promise<TokenRecord> {
    return await liveToken(this.sha256Hex(value), "public", this.tokens, this.clock);
  }

  /** Whether a secret token is still valid. */
  async isWelcome(sha256: string): Promise<boolean> {
    try {
      await liveToken(sha256, "secret", this.tokens, this.clock);
      return true;
    } catch (thrown) {
      if (thrown instanceof DaybookError && thrown.code === "invalid_token") return false;
      throw thrown;
    }
  }

  /** Organization of a token when it was last used; null: it never was valid, or no longer is. Reads memory only. */
  organizationOf(sha256: string): string | null {
    return this.#organizations.get(sha256) ?? null;
  }

  #hashOf(request: WireRequest, takesBasic: boolean): string {
    const known = request.known?.sha256;
    if (typeof known === "string") return known;
    const value = known === null ? undefined : tokenIn(request.header("authorization"), takesBasic);
    if (value === undefined) throw missingToken(takesBasic);
    return this.sha256Hex(value);
  }

  #remember(hash: string, organization: string): void {
    if (this.#organizations.has(hash)) return;
    if (this.#organizations.size >= SERVER_LIMITS.countedTokenCount) {
      const [oldest] = this.#organizations.keys();
      if (oldest !== undefined) this.#organizations.delete(oldest);
    }
    this.#organizations.set(hash, organization);
  }
}
