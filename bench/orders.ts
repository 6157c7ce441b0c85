import type { Random } from "daybook/testing";

/** Who buys: the user's number among all. */
export interface Order {
  readonly user: number;
  /** In major units; negative: given back. */
  readonly value: number;
  /** Not every shop sends one. */
  readonly externalId: string | null;
}

const recentCountMax = 256;
const keyShare = 0.9;
/** Of all events: about three in a hundred orders come twice, and as many are given back. */
const repeatShare = 0.0007;

/** The orders of the traffic. Now and then an earlier one comes again, or is refunded under its own key. */
export class Orders {
  readonly #random: Random;
  readonly #recent: Order[] = [];
  #count = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** An earlier order once more, as it was or with its value given back; mostly null. */
  again(): Order | null {
    if (this.#recent.length === 0 || !this.#random.chance(repeatShare)) return null;
    const order = this.#recent[this.#random.below(this.#recent.length)];
    if (order === undefined) return null;
    return this.#random.chance(0.5) ? order : { ...order, value: -order.value };
  }

  /** A new order of 0.01 to 500.00. */
  place(user: number): Order {
    const externalId = this.#random.chance(keyShare) ? `order-${this.#count.toString(36)}` : null;
    const order = { user, value: (1 + this.#random.below(50_000)) / 100, externalId };
    if (externalId !== null) this.#recent[this.#count % recentCountMax] = order;
    this.#count += 1;
    return order;
  }
}
