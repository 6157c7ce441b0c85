/** Header of every answer: browsers must not guess another type for content that callers stored. */
export const NO_SNIFF = { "x-content-type-options": "nosniff" } as const;
