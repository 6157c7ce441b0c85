import { coldRun } from "./cold/children.js";
import type { Measurement } from "./measure.js";
import { median } from "./table.js";

const processCount = 3;

export interface FirstMeasurement {
  /** Of the first query of a new process; opening the stored files is not in it. */
  readonly firstMs: number;
  /** The fastest peer, warm, over `firstMs`. */
  readonly firstRatio: number;
}

/** A query that is the first one of a new process, over stored files: the median of some processes. */
export function withFirst<M extends Measurement>(measurement: M, store: string): M & FirstMeasurement {
  const firstMs = median(Array.from({ length: processCount }, () => coldRun("daybook", store, measurement.query).firstMs));
  return { ...measurement, firstMs, firstRatio: (measurement.ratio * measurement.daybookMs) / firstMs };
}
