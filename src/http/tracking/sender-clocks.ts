import { SERVER_LIMITS } from "../../base/server-limits.js";
import { instantOf } from "../../schema/moment.js";
import { keepNewest } from "../access/buckets.js";
import type { SenderClock } from "../routing/route.js";

/**
 * Finds out how wrong the clocks of senders are. A request that failed comes again, often with the `sentAt` of its first sending: only such ones are
 * remembered, by the ids of what they brought.
 */
export class SenderClocks {
  /** Offsets by organization and id. */
  readonly #seen = new Map<string, number>();

  /** @param receivedAtMs when the request came in, epoch ms */
  of(organization: string, receivedAtMs: number): SenderClock {
    const found: { readonly keys: readonly string[]; readonly offsetMs: number }[] = [];
    return {
      offsetMs: (sentAt, ids) => {
        const sentAtMs = instantOf(sentAt);
        if (sentAtMs === null) return null;
        const keys = ids.flatMap((id) => (typeof id === "string" && id.length <= SERVER_LIMITS.clockIdChars ? [`${organization}\0${id}`] : []));
        // Time on the way only adds to it, so the smallest is nearest to what the clock is off.
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
