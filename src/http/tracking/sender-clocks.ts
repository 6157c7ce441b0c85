import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import { instantOf } from "../../core/schema/instant.js";
import { evictFor } from "../access/authenticator.js";
import type { SenderClock } from "../routing/route.js";

/**
 * Measures the clock offsets of senders. A failed request is resent, often with its first `sentAt`, so the offsets of failed requests are
 * remembered by the ids of their items.
 */
export class SenderClocks {
  /** Offsets by organization and id, in ms. */
  readonly #offsetsMs = new Map<string, number>();

  /** @param receivedAtMs time of receipt, epoch ms */
  of(organization: string, receivedAtMs: number): SenderClock {
    const measured: { readonly keys: readonly string[]; readonly offsetMs: number }[] = [];
    return {
      offsetMs: (sentAt, ids) => {
        const sentAtMs = instantOf(sentAt);
        if (sentAtMs === null) return null;
        const keys = ids.flatMap((id) => (typeof id === "string" && id.length <= SERVER_LIMITS.clockIdChars ? [`${organization}\0${id}`] : []));
        // Transit time only adds to the offset, so the smallest one is the most accurate.
        const offsetMs = this.#offsetsMs.size === 0 ? receivedAtMs - sentAtMs : this.#smallest(keys, receivedAtMs - sentAtMs);
        measured.push({ keys, offsetMs });
        return offsetMs;
      },
      failed: () => {
        for (const { keys, offsetMs } of measured) {
          for (const key of keys) evictFor(this.#offsetsMs, key, SERVER_LIMITS.rememberedClockCount).set(key, offsetMs);
        }
      },
    };
  }

  #smallest(keys: readonly string[], offsetMs: number): number {
    return keys.reduce((min, key) => Math.min(min, this.#offsetsMs.get(key) ?? min), offsetMs);
  }
}
