/** The work of one query, as counts: tests assert these because times are unreliable. */
export interface Work {
  /** Segments and heads read, and those skipped by zone maps and times alone. */
  segmentCount: number;
  prunedCount: number;
  /** Segments, and heads without newer rows, whose part of the answer an earlier query cached. */
  keptCount: number;
  /** Rows of the segments and heads read; of heads with a cached answer, only the newer ones. */
  rowCount: number;
  /** Segments with a column that had to be read from storage. */
  loadCount: number;
  /** Dictionary values tested by filters. */
  dictionaryValueCount: number;
}

export function newWork(): Work {
  return { segmentCount: 0, prunedCount: 0, keptCount: 0, rowCount: 0, loadCount: 0, dictionaryValueCount: 0 };
}
