import type { Cell } from "../bench-query.js";

export const integer = (value: string) => `CAST(${value} AS INTEGER)`;
/** As answers show durations. */
export const seconds = (ms: string) => `floor(${ms} + 0.5) / 1000`;
export const rate = (part: string, whole: string) => `floor(10000 * ${part} / ${whole} + 0.5) / 10000`;

export const cell = (value: Cell | null) => value ?? "";
