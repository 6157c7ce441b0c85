/* eslint-disable @typescript-eslint/no-non-null-assertion -- codes and places are bounded by their arrays */
import { mergeCodes, sortCodesByText } from "../base/text-order.js";

/** Codes that have no place yet are given one when as many of them were compared as this share of those that have. */
const COMPARED_SHARE = 1 / 8;

/** The order of the codes that were asked for: what was compared once need not be again. 4 bytes a code, and 4 for each code asked for. */
export class AskedOrder {
  /** By their values' code points. */
  #order: Uint32Array = new Uint32Array(0);
  /** By code: its place in the order and one; 0 for none. */
  #places = new Uint32Array(0);
  /** Codes without a place that were compared since some got one. */
  #comparedCount = 0;

  /** @param values by code */
  constructor(readonly values: readonly string[]) {}

  get byteLength(): number {
    return this.#order.byteLength + this.#places.byteLength;
  }

  /** The same codes, each of which comes once, by their values' code points. Cost: 0.1 µs a code, 0.7 for those that have no place yet. */
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

  /** Values were forgotten. */
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
    if (this.#places.length >= this.values.length) return;
    const longer = new Uint32Array(Math.ceil(this.values.length * 1.25));
    longer.set(this.#places);
    this.#places = longer;
  }
}
