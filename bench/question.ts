import type { Daybook } from "daybook";

/** 30 of the 90 days. Each round of the benchmark asks about another window, so that no answer can be kept from before. */
export interface Window {
  /** Date-only, inclusive. */
  readonly startDate: string;
  readonly endDate: string;
}

export type Cell = string | number;

/** An answer in the form in which engines are compared: a number, or rows; what is not set is an empty text. */
export type Canonical = number | readonly (readonly Cell[])[];

export interface Question {
  readonly name: string;
  /** Daybook's answer should take no longer at 10 million events. */
  readonly barMs: number;
  ask(daybook: Daybook, window: Window): Promise<unknown>;
  canonical(answer: unknown): Canonical;
  /**
   * The same question in SQL. `:from` and `:to` are the window as half-open timestamps; `:text(a)` is the text of a column,
   * `:key(a)` what its equal values share, `:either(a, b)` the same of the first that is set.
   */
  readonly sql: string;
  /** So many of the first columns are compared; absent: all. */
  readonly comparedColumnCount?: number;
}

export const inWindow = "created_at >= :from AND created_at < :to";

/** Epoch ms of an instant, in SQL. */
export const msOf = (instant: string) => `CAST(epoch_ms(${instant}) AS DOUBLE)`;

/** Rows per value of a text column, the most frequent first. */
export const byCount = (column: string, where: string, limit = "") =>
  `WITH counts AS (SELECT ${column}, CAST(count(*) AS INTEGER) AS n FROM events WHERE ${where} GROUP BY 1)
  SELECT :text(${column}), n FROM counts ORDER BY n DESC, ${column} NULLS FIRST ${limit}`;
