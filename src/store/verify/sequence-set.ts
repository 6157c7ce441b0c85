/** Sequences per part: 8 KiB of bits. */
const PART_COUNT = 1 << 16;

/** A set of sequences, one bit each, in parts allocated on first use. */
export class SequenceSet {
  readonly #parts = new Map<number, Uint32Array>();

  /** Returns false if the sequence is already in the set. */
  add(sequence: number): boolean {
    const key = Math.floor(sequence / PART_COUNT);
    let part = this.#parts.get(key);
    if (part === undefined) {
      part = new Uint32Array(PART_COUNT / 32);
      this.#parts.set(key, part);
    }
    const at = (sequence % PART_COUNT) >>> 5;
    const bit = 1 << (sequence & 31);
    const word = part[at] as number;
    if ((word & bit) !== 0) return false;
    part[at] = word | bit;
    return true;
  }
}
