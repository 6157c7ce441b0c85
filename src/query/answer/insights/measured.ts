import type { Extent } from "./buckets.js";

/** The figures of a series. */
export interface SeriesFigures {
  readonly counted: number;
  readonly total: number | null;
  /** By unit of the axis. */
  readonly data: readonly (number | null)[];
  /** Number of things that count in each unit. */
  readonly countedByUnit: readonly number[];
}

/** The data of a trend, from which the figures of keys are computed. */
export interface Measured {
  /** All keys that occur, whether or not anything counts under them. */
  readonly keys: Iterable<number>;
  readonly isEmpty: boolean;
  /** The first and the last unit in which something counts; null for none. Cost: a read of what does not count before and after them. */
  extent(pause: () => Promise<void>): Promise<Extent | null>;
  /** The measure of some keys over all units. Each event counts once. */
  totalOf(keys: Float64Array, pause: () => Promise<void>): Promise<number | null>;
  /** The figures of some keys. @param units of the axis, ascending: must include all units in which something counts */
  figuresOf(keys: Float64Array, units: readonly number[], isCumulative: boolean, pause: () => Promise<void>): Promise<SeriesFigures>;
}
