/** The name of a cluster of two shards. */
export const CLUSTER = "two";
/** The same, but that nobody is there for the second shard. */
export const HALF_CLUSTER = "half";
