/** What answering one question touched: counts of work, which tests assert where clocks would lie. */
export interface Work {
  /** Segments and heads read, and those left out by their zone maps and times alone. */
  segmentCount: number;
  prunedCount: number;
  /** Segments, and heads that did not grow since, whose part of the answer was kept from a question before. */
  keptCount: number;
  /** Rows of the segments and heads read; of heads whose earlier rows are known, those that came since. */
  rowCount: number;
  /** Segments of which some column had to be read from storage. */
  loadCount: number;
  /** Dictionary values tested by filters. */
  dictionaryValueCount: number;
}

export function newWork(): Work {
  return { segmentCount: 0, prunedCount: 0, keptCount: 0, rowCount: 0, loadCount: 0, dictionaryValueCount: 0 };
}
