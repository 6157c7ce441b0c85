/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by their lists */
import { runAtOnce, piecesOf, type Steps } from "../../../core/base/yield.js";
import type { DistinctActors } from "../events/distinct-actors.js";
import type { CountedEntities } from "../insights/counted-entities.js";

/** Entities per step: a few hundred microseconds of work. */
const PIECE_COUNT = 32 * 1024;
const NO_ENTITIES = new Uint32Array(0);
const WORD_BITS = 32;
const WORDS_PER_STEP = PIECE_COUNT / WORD_BITS;

/** A set of entities, one bit each: the nonzero words, in no order, and their indexes. */
export interface EntityBits {
  readonly places: Uint32Array;
  readonly words: Uint32Array;
}

/** Maps entity keys to entities, one unit at a time, each entity once per unit. 20 bytes per 32 possible entities. */
export class BitsOfUnits {
  /** Exclusive upper bound of all word indexes. */
  readonly wordCount: number;
  /** End of the words of even entities, and start of those of odd ones. */
  readonly #oddPlace: number;
  /** Words of the current unit; 0 between units. */
  readonly #words: Uint32Array;
  /** Indexes of words that were set; a word that became 0 may be listed twice. */
  readonly #set: Uint32Array;
  #setCount = 0;
  readonly #places: Uint32Array;
  readonly #own: Uint32Array;
  #piece: Uint32Array | null = null;

  constructor(readonly counted: CountedEntities) {
    this.#oddPlace = (counted.end >>> 6) + 1;
    this.wordCount = this.#oddPlace * 2;
    this.#words = new Uint32Array(this.wordCount);
    this.#set = new Uint32Array(this.wordCount * 2);
    this.#places = new Uint32Array(this.wordCount);
    this.#own = new Uint32Array(this.wordCount);
  }

  /** The entities of the entity keys of one unit; valid until the next call. Cost: the entity keys, and the words of their bits. */
  of(parts: readonly DistinctActors[]): EntityBits {
    return runAtOnce(this.#stepsOf(parts));
  }

  *#stepsOf(parts: readonly DistinctActors[]): Steps<EntityBits> {
    const [first, ...others] = parts;
    if (first?.kind === "bits" && others.length === 0 && this.counted.moved === "none") return this.#asTheyAre(first);
    for (const part of parts) {
      if (part.kind === "list") for (let at = 0; at < part.actors.length; at += 1) this.#add(part.actors[at]!);
      else {
        this.#unite(part.users, 0);
        this.#unite(part.anonymous, this.#oddPlace);
      }
      yield;
    }
    // Moved bits may set further words, whose entities stand for themselves.
    const count = this.counted.moved === "none" ? 0 : this.#setCount;
    yield* piecesOf(count, WORDS_PER_STEP, (from, to) => this.#mapToEntities(this.counted.moved === "all", from, to));
    return this.#taken();
  }

  /** The entity keys of one bit set, each of which stands for itself. */
  #asTheyAre({ users, anonymous }: DistinctActors & { readonly kind: "bits" }): EntityBits {
    const [places, words] = [this.#places, this.#own];
    let count = 0;
    for (const [own, start] of [[users, 0], [anonymous, this.#oddPlace]] as const)
      for (let word = 0; word < own.length; word += 1) {
        const bits = own[word]!;
        places[count] = start + word;
        words[count] = bits;
        if (bits !== 0) count += 1;
      }
    return { places: places.subarray(0, count), words: words.subarray(0, count) };
  }

  /** The entities of the entity keys of one unit, in chunks, each valid until the next; empty ones while the unit is read. */
  *entitiesOf(parts: readonly DistinctActors[]): Generator<Uint32Array, void, undefined> {
    const steps = this.#stepsOf(parts);
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) yield NO_ENTITIES;
    const { places, words } = step.value;
    const piece = (this.#piece ??= new Uint32Array(PIECE_COUNT + WORD_BITS));
    for (let at = 0; at < places.length; ) {
      let count = 0;
      for (; at < places.length && count < PIECE_COUNT; at += 1)
        for (let rest = words[at]!; rest !== 0; rest &= rest - 1) {
          piece[count] = this.#entityAt(places[at]!, 31 - Math.clz32(rest & -rest));
          count += 1;
        }
      yield piece.subarray(0, count);
    }
  }

  eachOf({ places, words }: EntityBits, visit: (entity: number) => void): void {
    for (let at = 0; at < places.length; at += 1)
      for (let rest = words[at]!; rest !== 0; rest &= rest - 1) visit(this.#entityAt(places[at]!, 31 - Math.clz32(rest & -rest)));
  }

  #entityAt(place: number, bit: number): number {
    return place < this.#oddPlace ? (place * WORD_BITS + bit) * 2 : ((place - this.#oddPlace) * WORD_BITS + bit) * 2 + 1;
  }

  #add(entity: number): void {
    this.#put(((entity & 1) === 0 ? 0 : this.#oddPlace) + (entity >>> 6), 1 << ((entity >>> 1) & 31));
  }

  #put(place: number, bits: number): void {
    if (this.#words[place] === 0) {
      this.#set[this.#setCount] = place;
      this.#setCount += 1;
    }
    this.#words[place]! |= bits;
  }

  #unite(own: Uint32Array, start: number): void {
    const [words, set] = [this.#words, this.#set];
    let count = this.#setCount;
    for (let word = 0; word < own.length; word += 1) {
      const bits = own[word]!;
      if (bits === 0) continue;
      if (words[start + word] === 0) {
        set[count] = start + word;
        count += 1;
      }
      words[start + word]! |= bits;
    }
    this.#setCount = count;
  }

  /** Moves the bits of entity keys to those of their entities. One pass is enough, because entities stand for themselves. */
  #mapToEntities(doEvenMove: boolean, from: number, to: number): void {
    const { counted } = this;
    for (let at = from; at < to; at += 1) {
      const place = this.#set[at]!;
      if (place < this.#oddPlace && !doEvenMove) continue;
      for (let rest = this.#words[place]!; rest !== 0; rest &= rest - 1) {
        const entityKey = this.#entityAt(place, 31 - Math.clz32(rest & -rest));
        const entity = counted.entityOf(entityKey);
        if (entity === entityKey) continue;
        this.#words[place]! ^= rest & -rest;
        this.#add(entity);
      }
    }
  }

  #taken(): EntityBits {
    const [places, words] = [this.#places, this.#own];
    let count = 0;
    for (let at = 0; at < this.#setCount; at += 1) {
      const place = this.#set[at]!;
      const bits = this.#words[place]!;
      if (bits === 0) continue;
      this.#words[place] = 0;
      places[count] = place;
      words[count] = bits;
      count += 1;
    }
    this.#setCount = 0;
    return { places: places.subarray(0, count), words: words.subarray(0, count) };
  }
}

/** The number of the unit in which each entity was last seen. */
export class LastUnits {
  /** By entity: the number + 1. */
  readonly #next: Uint32Array;

  /** @param end exclusive upper bound of entities */
  constructor(end: number) {
    this.#next = new Uint32Array(end);
  }

  /** Adds entities that were seen in a unit. Units must not descend. */
  add(unit: number, entities: Uint32Array): void {
    const next = this.#next;
    for (let at = 0; at < entities.length; at += 1) next[entities[at]!] = unit + 1;
  }

  /** -1 for an entity that was not seen. */
  of(entity: number): number {
    return this.#next[entity]! - 1;
  }
}
