/** The header of every answer: no browser guesses another type for what callers stored. */
export const NO_SNIFF = { "x-content-type-options": "nosniff" } as const;
