import type { BenchQuery } from "../bench-query.js";
import { funnelQueries } from "./funnel-queries.js";
import { returnQueries } from "./return-queries.js";
import { trendQueries } from "./trend-queries.js";
import { visitQueries } from "./visit-queries.js";
import { webQueries } from "./web-queries.js";

/** What product teams ask: figures over time, funnels, who comes again, visits. */
export const insightQueries: readonly BenchQuery[] = [...trendQueries, ...funnelQueries, ...returnQueries, ...visitQueries, ...webQueries];
