import type { Clock } from "../../base/clock.js";
import { SERVER_LIMITS } from "../../base/server-limits.js";
import { dayOf } from "../../base/time.js";
import type { Allowance } from "../../engine/ingest/allowance.js";
import { BudgetedLimit } from "../../engine/ingest/budgeted.js";
import type { Withheld } from "../../engine/ingest/budgeted.js";
import { keepNewest } from "../access/buckets.js";

/** What a public key, or one address with it, has brought today. */
interface Spent {
  valueCount: number;
  byteLength: number;
  keyCount: number;
}

/** What public keys may bring that is new to a store, each day (UTC) anew: no page, and nobody at one address, fills it for all others. */
export class Budgets {
  readonly #ofKeys = new Map<string, Spent>();
  readonly #ofAddresses = new Map<string, Spent>();
  #day = -1;

  constructor(readonly clock: Clock) {}

  /** @param address of a network that sends by the key; null: nobody knows. @param onWithheld hears of each part that could not come */
  of(key: string, address: string | null, onWithheld: (what: Withheld) => void): Allowance {
    const takesValues = (count: number, byteLength: number, areIds: boolean) => {
      const [ofKey, ofAddress] = this.#spent(key, address);
      const { collectedDayValueCount, collectedDayValueBytes, collectedTextShare, collectedAddressDayValueCount, collectedAddressDayValueBytes } = SERVER_LIMITS;
      const share = areIds ? 1 : collectedTextShare;
      if (ofKey.valueCount + count > share * collectedDayValueCount || ofKey.byteLength + byteLength > share * collectedDayValueBytes) return false;
      if (ofAddress.valueCount + count > collectedAddressDayValueCount || ofAddress.byteLength + byteLength > collectedAddressDayValueBytes) return false;
      for (const spent of [ofKey, ofAddress]) {
        spent.valueCount += count;
        spent.byteLength += byteLength;
      }
      return true;
    };
    const takesKey = () => {
      const [ofKey, ofAddress] = this.#spent(key, address);
      if (ofKey.keyCount >= SERVER_LIMITS.collectedDayKeyCount || ofAddress.keyCount >= SERVER_LIMITS.collectedAddressDayKeyCount) return false;
      ofKey.keyCount += 1;
      ofAddress.keyCount += 1;
      return true;
    };
    return { keyCountMax: Infinity, limit: new BudgetedLimit({ takesValues, takesKey, withheld: onWithheld }) };
  }

  /** Forgets who sent. */
  clear(): void {
    this.#ofAddresses.clear();
  }

  #spent(key: string, address: string | null): readonly [Spent, Spent] {
    const day = dayOf(this.clock.now());
    if (day !== this.#day) {
      this.#day = day;
      this.#ofKeys.clear();
      this.#ofAddresses.clear();
    }
    const ofAddress = address === null ? nothing() : spentOf(this.#ofAddresses, `${key} ${address}`, SERVER_LIMITS.collectedAddressCount);
    return [spentOf(this.#ofKeys, key, SERVER_LIMITS.countedTokenCount), ofAddress];
  }
}

function spentOf(all: Map<string, Spent>, name: string, countMax: number): Spent {
  const spent = all.get(name) ?? nothing();
  keepNewest(all, name, countMax).set(name, spent);
  return spent;
}

function nothing(): Spent {
  return { valueCount: 0, byteLength: 0, keyCount: 0 };
}
