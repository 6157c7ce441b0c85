import { expect, test } from "vitest";
import { piecesOf } from "../../src/clickhouse/sql/sql.js";

// As JSON a text of n letters takes n + 2, and a separator.
const rows = ["aaaa", "bb", "cc", "d", "eeeeeeeeeeeeeeeeeeee", "f"];

test.each([
  [{ itemCount: 10, charCount: 1_000 }, [6]],
  [{ itemCount: 2, charCount: 1_000 }, [2, 2, 2]],
  [{ itemCount: 10, charCount: 12 }, [2, 2, 1, 1]],
  [{ itemCount: 1, charCount: 1 }, [1, 1, 1, 1, 1, 1]],
])("Rows go in order into inserts of %j", (bounds, lengths) => {
  const pieces = [...piecesOf(rows, bounds)];
  expect(pieces.map((piece) => piece.length)).toEqual(lengths);
  expect(pieces.flat()).toEqual(rows);
});

test("Of no rows there is no insert.", () => {
  expect([...piecesOf([], { itemCount: 1, charCount: 1 })]).toEqual([]);
});
