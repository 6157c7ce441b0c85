/* eslint-disable @typescript-eslint/no-non-null-assertion -- subjects and entities are below their end */
import type { DistinctActors } from "../events/distinct-actors.js";
import type { CountedEntities } from "../insights/counted-entities.js";

/** Entities returned per chunk: a few hundred microseconds of work. */
const PIECE_COUNT = 32 * 1024;
const WORD_BITS = 32;

/** Folds subjects onto entities, one unit at a time, each entity once per unit. 4 bytes per possible entity. */
export class EntitiesOfUnits {
  readonly #stamps: Uint32Array;
  readonly #piece = new Uint32Array(PIECE_COUNT + WORD_BITS);
  #stamp = 0;

  constructor(readonly subjects: CountedEntities) {
    this.#stamps = new Uint32Array(subjects.end);
  }

  /** The entities of the subjects of one unit, in chunks, each valid until the next. Cost: the subjects, and the words of their bits. */
  *of(parts: readonly DistinctActors[]): Generator<Uint32Array, void, undefined> {
    this.#stamp += 1;
    for (const part of parts)
      if (part.kind === "list") yield* this.#ofList(part.actors);
      else {
        yield* this.#ofBits(part.users, 0);
        yield* this.#ofBits(part.anonymous, 1);
      }
  }

  *#ofList(list: Uint32Array): Generator<Uint32Array, void, undefined> {
    for (let from = 0; from < list.length; from += PIECE_COUNT) {
      const count = this.#addList(list, from, Math.min(from + PIECE_COUNT, list.length));
      if (count > 0) yield this.#piece.subarray(0, count);
    }
  }

  #addList(list: Uint32Array, from: number, to: number): number {
    const { subjects } = this;
    const [piece, stamps, stamp] = [this.#piece, this.#stamps, this.#stamp];
    let count = 0;
    for (let at = from; at < to; at += 1) {
      const entity = subjects.entityOf(list[at]!);
      if (stamps[entity] === stamp) continue;
      stamps[entity] = stamp;
      piece[count] = entity;
      count += 1;
    }
    return count;
  }

  /** @param role 1 for anonymous ids */
  *#ofBits(words: Uint32Array, role: 0 | 1): Generator<Uint32Array, void, undefined> {
    for (let word = 0; word < words.length; ) {
      let count = 0;
      for (; word < words.length && count < PIECE_COUNT; word += 1) if (words[word] !== 0) count = this.#addWord(words[word]!, word, role, count);
      if (count > 0) yield this.#piece.subarray(0, count);
    }
  }

  #addWord(bits: number, word: number, role: 0 | 1, from: number): number {
    const { subjects } = this;
    const [piece, stamps, stamp] = [this.#piece, this.#stamps, this.#stamp];
    let count = from;
    for (let rest = bits; rest !== 0; rest &= rest - 1) {
      const entity = subjects.entityOf((word * WORD_BITS + 31 - Math.clz32(rest & -rest)) * 2 + role);
      if (stamps[entity] === stamp) continue;
      stamps[entity] = stamp;
      piece[count] = entity;
      count += 1;
    }
    return count;
  }
}
