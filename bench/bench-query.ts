import type { Daybook } from "daybook";
import type { Sql } from "./dialect.js";

/** 30 of the 90 days. Each round of the benchmark asks about another window, so that no answer can be kept from before. */
export interface Window {
  /** Date-only, inclusive. */
  readonly startDate: string;
  readonly endDate: string;
}

export type Cell = string | number;

/** An answer in the form in which engines are compared: a number, or rows; what is not set is an empty text. */
export type Canonical = number | readonly (readonly Cell[])[];

export interface BenchQuery {
  readonly name: string;
  run(daybook: Daybook, window: Window): Promise<unknown>;
  canonical(answer: unknown): Canonical;
  /** The same query in the SQL of each peer. */
  readonly sql: Sql;
  /** So many of the first columns are compared; absent: all. */
  readonly comparedColumnCount?: number;
}
