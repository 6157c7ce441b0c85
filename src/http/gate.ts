import type { Clock } from "../base/clock.js";
import { DaybookError } from "../base/errors.js";
import { liveToken, tokenValue } from "./access.js";
import type { WireRequest } from "./exchange.js";
import { FailedTokens } from "./failed-tokens.js";
import type { HandlerLimits } from "./limits.js";
import type { TokenRecord } from "./token.js";
import type { TokenStore } from "./tokens.js";

/** Tells callers apart by their tokens, and slows down those who guess. */
export class Gate {
  readonly #failed: FailedTokens;

  constructor(
    readonly tokens: TokenStore,
    readonly clock: Clock,
    limits: HandlerLimits,
    readonly sha256Hex: (text: string) => string,
  ) {
    this.#failed = new FailedTokens(limits, clock);
  }

  /** @throws missing_token, invalid_token, rate_limited */
  async authenticate(request: WireRequest, takesBasic?: boolean): Promise<TokenRecord> {
    const hash = this.sha256Hex(tokenValue(request.header("authorization"), takesBasic));
    this.#failed.refuse(request.address, hash);
    try {
      const token = await liveToken(hash, this.tokens, this.clock);
      this.#failed.opened(request.address, hash);
      return token;
    } catch (thrown) {
      if (thrown instanceof DaybookError && thrown.code === "invalid_token") this.#failed.failed(request.address);
      throw thrown;
    }
  }
}
