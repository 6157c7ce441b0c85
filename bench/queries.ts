import { companyQueries } from "./company-queries.js";
import { eventQueries } from "./event-queries.js";
import { identityQueries } from "./identity-queries.js";
import { insightQueries } from "./insights/insight-queries.js";
import { moneyQueries } from "./money-queries.js";
import type { BenchQuery } from "./bench-query.js";

/** While the store lives, Daybook should be so many times as fast as the fastest peer, at 10 million events. */
export const LIVE_RATIO_BAR = 3;
/** The first query of a process should take no longer. */
export const FIRST_BAR_MS = 500;

/** @throws where there is none of the name */
export function queryNamed(name: string): BenchQuery {
  const query = queries.find((known) => known.name === name);
  if (query === undefined) throw new Error(`expected the name of a query, got ${name}`);
  return query;
}

export const queries: readonly BenchQuery[] = [...eventQueries, ...identityQueries, ...moneyQueries, ...companyQueries, ...insightQueries];
