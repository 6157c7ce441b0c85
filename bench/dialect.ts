/** What the same query is written with in one engine's SQL, for one of its tables. */
export interface Dialect {
  readonly events: string;
  /** The window, as half-open instants. */
  readonly from: string;
  readonly to: string;
  /** The text of a column. */
  readonly text: (column: string) => string;
  /** What equal values of a column share. */
  readonly key: (column: string) => string;
  /** The same of the first of two that is set. */
  readonly either: (first: string, second: string) => string;
  /** Epoch ms of an instant. */
  readonly ms: (instant: string) => string;
  /** Whether a condition holds in any row of a group. */
  readonly any: (condition: string) => string;
  /** Between the two values nearest to a share of a group, in proportion. */
  readonly quantile: (value: string, share: number) => string;
  /** To a whole number, halves to the even one. */
  readonly rounded: (value: string) => string;
}

type Form = (dialect: Dialect) => string;

/** A query in each engine's SQL. */
export type Sql = Readonly<Record<"duckdb" | "clickhouse", Form>>;

/** One text for all engines, where no more than the dialect differs. */
export const shared = (form: Form): Sql => ({ duckdb: form, clickhouse: form });

export const inWindow = ({ from, to }: Dialect) => `created_at >= ${from} AND created_at < ${to}`;

/** Rows per value of a text column, the most frequent first. */
export const byCount = (dialect: Dialect, column: string, where: string, limit = "") =>
  `WITH counts AS (SELECT ${column}, CAST(count(*) AS INTEGER) AS n FROM ${dialect.events} WHERE ${where} GROUP BY 1)
  SELECT ${dialect.text(column)}, n FROM counts ORDER BY n DESC, ${column} NULLS FIRST ${limit}`;
