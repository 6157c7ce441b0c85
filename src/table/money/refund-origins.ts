import { BitSet } from "../../column/bit-set.js";
import type { Payments } from "./payments.js";

/** Which payments refunds give back, as it was known at one moment. Events are named by their sequences. */
export class PaidOrders {
  constructor(
    /** Of all refunds of before, perhaps of later ones too. */
    readonly refunds: BitSet,
    readonly numberOf: ReadonlyMap<number, number>,
    /** Places of the payments by number of the refund: where it is not known, the refund's own. */
    readonly paid: Uint32Array,
  ) {}

  isRefund(sequence: number): boolean {
    return this.refunds.has(sequence) && (this.numberOf.get(sequence) ?? Infinity) < this.paid.length;
  }

  /** The place of the payment that a refund gives back, or its own. */
  placeOf(refund: number): number {
    return this.paid[this.numberOf.get(refund) ?? 0] ?? 0;
  }
}

/** Finds the payments that refunds give back. Follows payments; cost: those that came since, and where any came all refunds. */
export class RefundOrigins {
  #refunds = new BitSet();
  #numberOf = new Map<number, number>();
  /** Places of refunds. */
  #places: number[] = [];
  #count = 0;
  #generation = -1;
  #orders: PaidOrders | null = null;

  constructor(readonly payments: Payments) {}

  /** At a moment at which payments are. */
  now(): PaidOrders {
    const { payments } = this;
    if (this.#generation !== payments.generation) this.#clear();
    if (this.#orders === null || this.#count < payments.count) {
      for (; this.#count < payments.count; this.#count += 1) this.#take(this.#count);
      this.#orders = new PaidOrders(this.#refunds, this.#numberOf, Uint32Array.from(this.#places, (place) => payments.orderPlaceOf(place)));
    }
    return this.#orders;
  }

  #clear(): void {
    this.#refunds = new BitSet();
    this.#numberOf = new Map();
    this.#places = [];
    this.#count = 0;
    this.#generation = this.payments.generation;
    this.#orders = null;
  }

  #take(place: number): void {
    const sequence = this.payments.sequences[place];
    if (sequence === undefined || this.payments.refunds[place] === 0) return;
    this.#refunds.add(sequence);
    this.#numberOf.set(sequence, this.#places.push(place) - 1);
  }
}
