import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import { instantOf } from "../../core/schema/instant.js";
import { keepNewest } from "../access/authenticator.js";
import type { SenderClock } from "../routing/route.js";

/**
 * Measures the clock offsets of senders. A failed request is resent, often with its first `sentAt`; so only failed requests are remembered,
 * by the ids of their items.
 */
export class SenderClocks {
  /** Offsets by organization and id. */
  readonly #seen = new Map<string, number>();

  /** @param receivedAtMs time of receipt, epoch ms */
  of(organization: string, receivedAtMs: number): SenderClock {
    const found: { readonly keys: readonly string[]; readonly offsetMs: number }[] = [];
    return {
      offsetMs: (sentAt, ids) => {
        const sentAtMs = instantOf(sentAt);
        if (sentAtMs === null) return null;
        const keys = ids.flatMap((id) => (typeof id === "string" && id.length <= SERVER_LIMITS.clockIdChars ? [`${organization}\0${id}`] : []));
        // Transit time only adds to the offset, so the smallest one is the most accurate.
        const offsetMs = this.#seen.size === 0 ? receivedAtMs - sentAtMs : this.#smallest(keys, receivedAtMs - sentAtMs);
        found.push({ keys, offsetMs });
        return offsetMs;
      },
      failed: () => {
        for (const { keys, offsetMs } of found) for (const key of keys) keepNewest(this.#seen, key, SERVER_LIMITS.rememberedClockCount).set(key, offsetMs);
      },
    };
  }

  #smallest(keys: readonly string[], offsetMs: number): number {
    return keys.reduce((least, key) => Math.min(least, this.#seen.get(key) ?? least), offsetMs);
  }
}
