import { BitSet } from "../../../storage/column/bit-set.js";
import type { Payments } from "./payments.js";

/** The payments that refunds give back, in one snapshot. Events are identified by their sequences. */
export class PaidOrders {
  constructor(
    /** All refunds up to the snapshot, and perhaps later ones. */
    readonly refunds: BitSet,
    readonly numberOf: ReadonlyMap<number, number>,
    /** Positions of the payments by number of the refund; the refund's own position when the payment is unknown. */
    readonly paid: Uint32Array,
  ) {}

  isRefund(sequence: number): boolean {
    return this.refunds.has(sequence) && (this.numberOf.get(sequence) ?? Infinity) < this.paid.length;
  }

  /** Position of the payment that a refund gives back, or the refund's own. */
  placeOf(refund: number): number {
    return this.paid[this.numberOf.get(refund) ?? 0] ?? 0;
  }
}

/** Finds the payments that refunds give back. Follows payments; cost: the new ones, and all refunds when there are any. */
export class RefundOrigins {
  #refunds = new BitSet();
  #numberOf = new Map<number, number>();
  /** Positions of refunds. */
  #places: number[] = [];
  #count = 0;
  #generation = -1;
  #orders: PaidOrders | null = null;

  constructor(readonly payments: Payments) {}

  /** For the snapshot that payments are at. */
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
