/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are below the number of words */
import { popcount } from "../../column/bitmap.js";
import type { EntityBits } from "./bits-of-units.js";

/** Words that are counted between two turns. */
const PIECE_COUNT = 4_096;

/** In how many units of a bucket each entity was active: the numbers of 32 entities are counted at once, a bit of each in a word. */
export class UnitCounts {
  /** Of the numbers the bits of 1, of 2, of 4 and so on. */
  readonly #planes: Uint32Array[] = [];
  /** Who was active at all, and in which places somebody was. */
  readonly #any: Uint32Array;
  readonly #places: Uint32Array;
  #placeCount = 0;

  /** @param wordCount all places of bits are below it */
  constructor(readonly wordCount: number) {
    this.#any = new Uint32Array(wordCount);
    this.#places = new Uint32Array(wordCount);
  }

  begin(): void {
    for (let at = 0; at < this.#placeCount; at += 1) {
      const place = this.#places[at]!;
      this.#any[place] = 0;
      for (const plane of this.#planes) plane[place] = 0;
    }
    this.#placeCount = 0;
  }

  /** Adds the entities of a unit. Cost: their words. */
  add({ places, words }: EntityBits): void {
    const [any, planes] = [this.#any, this.#planes];
    for (let at = 0; at < places.length; at += 1) {
      const place = places[at]!;
      if (any[place] === 0) {
        this.#places[this.#placeCount] = place;
        this.#placeCount += 1;
      }
      any[place]! |= words[at]!;
      for (let carry = words[at]!, power = 0; carry !== 0; power += 1) {
        if (power === planes.length) planes.push(new Uint32Array(this.wordCount));
        const plane = planes[power]!;
        const before = plane[place]!;
        plane[place] = before ^ carry;
        carry &= before;
      }
    }
  }

  /** By number of units: entities. That of 0 means nothing. */
  async histogram(pause: () => Promise<void>): Promise<number[]> {
    const histogram = new Array<number>(2 ** this.#planes.length).fill(0);
    for (let from = 0; from < this.#placeCount; from += PIECE_COUNT) {
      this.#count(histogram, from, Math.min(from + PIECE_COUNT, this.#placeCount));
      await pause();
    }
    return histogram;
  }

  #count(histogram: number[], from: number, to: number): void {
    const powerCount = this.#planes.length;
    for (let at = from; at < to; at += 1) {
      const place = this.#places[at]!;
      this.#halve(histogram, place, this.#any[place]!, powerCount, 0);
    }
  }

  /** Counts the entities of a word, whose numbers have the upper bits in common, by their numbers: most are small, so that few bits differ. */
  #halve(histogram: number[], place: number, entities: number, powerCount: number, number: number): void {
    if (entities === 0) return;
    if (powerCount === 0) {
      histogram[number]! += popcount(entities);
      return;
    }
    const power = powerCount - 1;
    const plane = this.#planes[power]![place]!;
    this.#halve(histogram, place, entities & ~plane, power, number);
    this.#halve(histogram, place, entities & plane, power, number | (1 << power));
  }
}
