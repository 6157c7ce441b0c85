/** Rows of one insert: what a block of ClickHouse holds, and a request can carry. */
const ROW_COUNT = 50_000;
/** Characters of one insert: its rows are one text, and no text is longer than some 500 million. */
const CHAR_COUNT = 64 * 1024 * 1024;

export interface PieceBounds {
  readonly rowCount: number;
  readonly charCount: number;
}

/** Rows as inserts take them: in order, as many as go into one; a row by itself however long it is. Cost: their text as JSON, once. */
export function* piecesOf<Row>(rows: readonly Row[], bounds: PieceBounds = { rowCount: ROW_COUNT, charCount: CHAR_COUNT }): Generator<readonly Row[]> {
  let [from, charCount] = [0, 0];
  for (const [at, row] of rows.entries()) {
    const own = JSON.stringify(row).length;
    if (at > from && (at - from === bounds.rowCount || charCount + own > bounds.charCount)) {
      yield rows.slice(from, at);
      [from, charCount] = [at, 0];
    }
    charCount += own;
  }
  if (from < rows.length) yield rows.slice(from);
}
