/** Days since 1970 of an instant. */
export const dayOf = (instant: string) => `CAST(CAST(${instant} AS DATE) - DATE '1970-01-01' AS INTEGER)`;

/** The Monday of its week, as days since 1970. */
export const mondayOf = (instant: string) => `CAST(CAST(date_trunc('week', ${instant}) AS DATE) - DATE '1970-01-01' AS INTEGER)`;
