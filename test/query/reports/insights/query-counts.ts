/** Random queries of each insight: what the default suite can afford, what a mutant is asked, and what the long suite asks. */
export const QUERY_COUNT = { quick: 500, mutant: 14_000, long: 20_000 } as const;
