/** Heads are full after a few rows, so that what is kept of them, and what is not, is asked for too. */
export const INSIGHT_LIMITS = {
  headPartRowCount: 6,
  placesSortedAtOnce: 2,
  placedTouchCount: 3,
  unorderedSessionCount: 12,
  joinedListCountMin: 2,
  firstEntityCount: 3,
  newerRowCount: 16,
} as const;
