/** A stream of pseudo-random choices, fully determined by a seed. */
export interface Random {
  /** Uniform in `[0, 1)`. */
  next(): number;
  /** A whole number in `[0, count)`. */
  below(count: number): number;
  /** A whole number in `[low, high]`. */
  between(low: number, high: number): number;
  /** True with the given probability. */
  chance(probability: number): boolean;
  /** One of the items, with equal probability. @throws RangeError if there are none */
  pick<T>(items: readonly T[]): T;
  /** A shuffled copy. */
  shuffled<T>(items: readonly T[]): T[];
}

/** Creates the random stream of a seed (mulberry32): the same choices on every machine. */
export function seededRandom(seed: number): Random {
  let state = seed | 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count: number) => Math.floor(next() * count);
  return {
    next,
    below,
    between: (low, high) => low + below(high - low + 1),
    chance: (probability) => next() < probability,
    pick: <T>(items: readonly T[]): T => {
      if (items.length === 0) throw new RangeError("pick: expected at least one item, got none");
      return items[below(items.length)] as T;
    },
    shuffled: <T>(items: readonly T[]): T[] => {
      const copy = [...items];
      for (let at = copy.length - 1; at > 0; at -= 1) {
        const other = below(at + 1);
        [copy[at], copy[other]] = [copy[other] as T, copy[at] as T];
      }
      return copy;
    },
  };
}
