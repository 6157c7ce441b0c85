import type { Extent } from "./buckets.js";

/** What the figures of a series are made of. */
export interface SeriesFigures {
  readonly counted: number;
  readonly total: number | null;
  /** By unit of the axis. */
  readonly data: readonly (number | null)[];
  /** How many things counted in each. */
  readonly countedByUnit: readonly number[];
}

/** Everything that a trend is about, ready to be asked for the figures of some keys. */
export interface Measured {
  /** All keys that something stands under, whether or not it counts. */
  readonly keys: Iterable<number>;
  /** Whether there is no key. */
  readonly isEmpty: boolean;
  /** The first and the last unit in which something counts; null where nothing does. Cost: a look at what does not count before and behind. */
  extent(pause: () => Promise<void>): Promise<Extent | null>;
  /** The measure of some keys over all units. Each event counts once. */
  totalOf(keys: Float64Array, pause: () => Promise<void>): Promise<number | null>;
  /** The figures of some keys. @param units of the axis, ascending: those that hold anything that counts are among them */
  figuresOf(keys: Float64Array, units: readonly number[], isCumulative: boolean, pause: () => Promise<void>): Promise<SeriesFigures>;
}
