/* eslint-disable @typescript-eslint/no-non-null-assertion -- codes and indexes are bounded by their arrays */
import { grown } from "../../core/base/arrays.js";
import { mergeCodes, sortCodesByText } from "../../core/base/text-order.js";

/** Compared codes join the order once they are more than this share of the codes in it. */
const COMPARED_SHARE = 1 / 8;

/** The order of the codes requested so far, which spares comparing them again. 4 bytes a code, and 4 for each code requested. */
export class RequestedCodeOrder {
  /** Codes sorted by their values' code points. */
  #order: Uint32Array = new Uint32Array(0);
  /** By code: its index in the order plus one; 0 for none. */
  #places = new Uint32Array(0);
  /** Codes outside the order that were compared since some last joined it. */
  #comparedCount = 0;

  /** @param values by code */
  constructor(readonly values: readonly string[]) {}

  get byteLength(): number {
    return this.#order.byteLength + this.#places.byteLength;
  }

  /** Sorts distinct codes by their values' code points. Cost: 0.1 µs a code, 0.7 for those not in the order yet. */
  of(codes: Uint32Array): Uint32Array {
    this.#makeRoom();
    const places = new Uint32Array(codes.length);
    const others = new Uint32Array(codes.length);
    let [knownCount, otherCount] = [0, 0];
    for (let at = 0; at < codes.length; at += 1) {
      const place = this.#places[codes[at]!]!;
      if (place > 0) places[knownCount++] = place - 1;
      else others[otherCount++] = codes[at]!;
    }
    const known = places.subarray(0, knownCount).sort();
    for (let at = 0; at < knownCount; at += 1) known[at] = this.#order[known[at]!]!;
    if (otherCount === 0) return known;
    const compared = others.subarray(0, otherCount);
    sortCodesByText(compared, this.values);
    this.#comparedCount += otherCount;
    if (this.#comparedCount > this.#order.length * COMPARED_SHARE) this.#take(compared);
    return this.#merge(known, compared);
  }

  /** Whether the order needs the value of a code. */
  has(code: number): boolean {
    return (this.#places[code] ?? 0) > 0;
  }

  /** Call it when values are dropped. */
  clear(): void {
    this.#order = new Uint32Array(0);
    this.#places = new Uint32Array(0);
    this.#comparedCount = 0;
  }

  #take(codes: Uint32Array): void {
    this.#order = this.#merge(this.#order, codes);
    for (let place = 0; place < this.#order.length; place += 1) this.#places[this.#order[place]!] = place + 1;
    this.#comparedCount = 0;
  }

  #merge(a: Uint32Array, b: Uint32Array): Uint32Array {
    return a.length >= b.length ? mergeCodes(this.values, a, b) : mergeCodes(this.values, b, a);
  }

  #makeRoom(): void {
    if (this.#places.length < this.values.length) this.#places = grown(this.#places, Math.ceil(this.values.length * 1.25));
  }
}
