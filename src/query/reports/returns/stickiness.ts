/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are below the number of words */
import { inPieces } from "../../../core/base/yield.js";
import { cutOf, slotsOf, type Slot } from "../../answer/insights/buckets.js";
import { stickinessOf } from "../../answer/insights/retention-periods.js";
import type { StickinessPlan } from "../../plan/insights/plan.js";
import type { StickinessBucket, Stickiness } from "../../plan/insights/answers.js";
import { asOfAnswer, onePass, type Report } from "../form/report.js";
import { extentOf, type RowCut } from "../insights/row-units.js";
import { countedEntitiesOf, entitiesByUnit, type EntitiesByUnit } from "../insights/counted-entities.js";
import { BitsOfUnits, type EntityBits } from "./entities-of-units.js";

/** Words counted between two pauses. */
const PIECE_COUNT = 4_096;

/** By four bits, lowest first: the same bits, each in its own byte. */
const BYTES_OF_BITS = Uint32Array.from({ length: 16 }, (_, bits) => (bits & 1) | ((bits & 2) << 7) | ((bits & 4) << 14) | ((bits & 8) << 21));

/** Counts in how many units of a bucket each entity was active: 32 entities at once, one bit of each counter per word. */
export class UnitCounts {
  /** Bit planes of the counters: the bits for 1, 2, 4 and so on. */
  readonly #planes: Uint32Array[];
  /** Word indexes with any entity, and whether an index is among them. */
  readonly #places: Uint32Array;
  readonly #isPlace: Uint8Array;
  #placeCount = 0;

  /** @param wordCount exclusive upper bound of word indexes */
  constructor(readonly wordCount: number) {
    this.#places = new Uint32Array(wordCount);
    this.#isPlace = new Uint8Array(wordCount);
    this.#planes = [new Uint32Array(wordCount), new Uint32Array(wordCount)];
  }

  begin(): void {
    for (let at = 0; at < this.#placeCount; at += 1) {
      const place = this.#places[at]!;
      this.#isPlace[place] = 0;
      for (const plane of this.#planes) plane[place] = 0;
    }
    this.#placeCount = 0;
  }

  /** Adds the entities of a unit. Cost: their words. */
  add({ places, words }: EntityBits): void {
    const isPlace = this.#isPlace;
    const [ones, twos] = this.#planes as [Uint32Array, Uint32Array, ...Uint32Array[]];
    for (let at = 0; at < places.length; at += 1) {
      const place = places[at]!;
      if (isPlace[place] === 0) {
        isPlace[place] = 1;
        this.#places[this.#placeCount] = place;
        this.#placeCount += 1;
      }
      const one = words[at]!;
      const two = one & ones[place]!;
      ones[place]! ^= one;
      if (two === 0) continue;
      const four = two & twos[place]!;
      twos[place]! ^= two;
      if (four !== 0) this.#carry(place, four);
    }
  }

  /** Adds the carry from the plane of 2. */
  #carry(place: number, fours: number): void {
    const planes = this.#planes;
    for (let carry = fours, power = 2; carry !== 0; power += 1) {
      if (power === planes.length) planes.push(new Uint32Array(this.wordCount));
      const plane = planes[power]!;
      const before = plane[place]!;
      plane[place] = before ^ carry;
      carry &= before;
    }
  }

  /** Number of entities by number of units. Index 0 is meaningless. */
  async histogram(pause: () => Promise<void>): Promise<number[]> {
    const histogram = new Float64Array(2 ** this.#planes.length);
    const countIn = (from: number, to: number) => {
      if (this.#planes.length <= 8) this.#countFours(histogram, from, to);
      else this.#countOnes(histogram, from, to);
    };
    await inPieces(this.#placeCount, pause, countIn, PIECE_COUNT);
    return [...histogram];
  }

  /** Counts four entities at once, whose counters fit in one byte each. */
  #countFours(histogram: Float64Array, from: number, to: number): void {
    for (let at = from; at < to; at += 1) {
      const place = this.#places[at]!;
      for (let shift = 0; shift < 32; shift += 4) {
        let numbers = 0;
        for (let power = 0; power < this.#planes.length; power += 1) numbers |= BYTES_OF_BITS[(this.#planes[power]![place]! >>> shift) & 15]! << power;
        histogram[numbers & 255]! += 1;
        histogram[(numbers >>> 8) & 255]! += 1;
        histogram[(numbers >>> 16) & 255]! += 1;
        histogram[numbers >>> 24]! += 1;
      }
    }
  }

  #countOnes(histogram: Float64Array, from: number, to: number): void {
    for (let at = from; at < to; at += 1) {
      const place = this.#places[at]!;
      for (let bit = 0; bit < 32; bit += 1) {
        let number = 0;
        for (let power = 0; power < this.#planes.length; power += 1) number |= ((this.#planes[power]![place]! >>> bit) & 1) << power;
        histogram[number]! += 1;
      }
    }
  }
}

/** A week may lie in two months, quarters or years, and counts in each as far as it lies inside. Other units lie within one interval. */
function cutsOf({ calendar, unit, interval }: StickinessPlan): [RowCut, ...RowCut[]] {
  const cut = cutOf(calendar, unit);
  return unit === "week" && interval !== "total" ? [cut, cutOf(calendar, interval)] : [cut];
}

/** In how many units each entity was active. Cost: cached spans of days, one step per 32 entities of a unit, and one per entity. */
export const stickiness: Report<StickinessPlan, Stickiness> = {
  needsCompanies: ({ level }) => level === "account",
  prepare: (plan, context) => {
    const { pause } = context;
    const counted = countedEntitiesOf(plan.level, context);
    return onePass(entitiesByUnit(plan, cutsOf(plan), counted), async (active) => {
      const slots = slotsOf(plan, plan.interval, extentOf(active.keys(), plan.range));
      const entities = new BitsOfUnits(counted);
      const counts = new UnitCounts(entities.wordCount);
      const buckets: StickinessBucket[] = [];
      for (const { slot, units } of unitsOfSlots(slots, active)) {
        counts.begin();
        for (const unit of units) {
          counts.add(entities.of(unit));
          await pause();
        }
        buckets.push({ ...slot.bucket, ...stickinessOf(await counts.histogram(pause)) });
      }
      return { definition: plan.definition, asOf: asOfAnswer(plan, context), buckets };
    });
  },
};

function* unitsOfSlots(slots: readonly Slot[], active: EntitiesByUnit) {
  const starts = [...active.keys()].sort((a, b) => a - b);
  let at = 0;
  for (const slot of slots) {
    const from = at;
    while (at < starts.length && (starts[at] ?? 0) < slot.toMs) at += 1;
    yield { slot, units: starts.slice(from, at).map((unitMs) => active.get(unitMs) ?? []) };
  }
}
