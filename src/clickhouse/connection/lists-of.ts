/** Groups rows that are sorted by their first column, one list per value; one list is in memory at a time. */
export async function* listsOf<Row extends readonly [of: string, ...rest: unknown[]]>(rows: AsyncIterable<Row>): AsyncGenerator<readonly Row[]> {
  let list: Row[] = [];
  for await (const row of rows) {
    if (list[0] !== undefined && list[0][0] !== row[0]) {
      yield list;
      list = [];
    }
    list.push(row);
  }
  if (list.length > 0) yield list;
}
