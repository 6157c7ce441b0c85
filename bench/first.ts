import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Measurement } from "./measure.js";
import { median } from "./table.js";

const child = fileURLToPath(new URL("first-child.ts", import.meta.url));
const processCount = 3;

export interface FirstMeasurement {
  /** Of the first query of a new process; opening the stored files is not in it. */
  readonly firstMs: number;
  /** The fastest peer, warm, over `firstMs`. */
  readonly firstRatio: number;
}

/** Of a query that is the first one of a new process, over stored files. */
export function firstMsOf(query: string, store: string): number {
  const answer = execFileSync(process.execPath, ["--import", "tsx", child, store, query], { encoding: "utf8" });
  return (JSON.parse(answer) as { firstMs: number }).firstMs;
}

/** A query that is the first one of a new process, over stored files: the median of some processes. */
export function withFirst<M extends Measurement>(measurement: M, store: string): M & FirstMeasurement {
  const firstMs = median(Array.from({ length: processCount }, () => firstMsOf(measurement.query, store)));
  return { ...measurement, firstMs, firstRatio: (measurement.ratio * measurement.daybookMs) / firstMs };
}
