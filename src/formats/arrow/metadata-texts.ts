import { codeAt } from "../../storage/column/column.js";
import type { CodeColumn } from "../../storage/column/column.js";
import type { Dictionaries } from "../../storage/column/dictionaries.js";
import type { JsonDictionary } from "../../storage/column/dictionary.js";
import { SHAPE_COLUMN, metadataColumn } from "../../core/schema/fields.js";
import type { DayRows } from "./day-rows.js";

/** One key of a shape: the start of its member in JSON, and the source of its value. */
interface Member {
  readonly start: string;
  readonly column: CodeColumn;
  readonly dictionary: JsonDictionary;
}

/** The metadata of some rows as JSON texts, with keys in their original order; null if there is none. */
export function metadataTexts(day: DayRows, rows: Uint32Array, dictionaries: Dictionaries): (string | null)[] {
  const shapes = day.column(SHAPE_COLUMN);
  const members = new Map<number, readonly Member[]>();
  return Array.from(rows, (row) => {
    const shape = codeAt(shapes, row);
    if (shape === 0) return null;
    let known = members.get(shape);
    if (known === undefined) {
      known = dictionaries.keysOfShape(shape).map((key) => memberOf(day, key, dictionaries));
      members.set(shape, known);
    }
    return `{${known.map(({ start, column, dictionary }) => start + dictionary.valueOf(codeAt(column, row))).join(",")}}`;
  });
}

function memberOf(day: DayRows, key: number, dictionaries: Dictionaries): Member {
  return {
    start: `${JSON.stringify(dictionaries.keyOf(key))}:`,
    column: day.column(metadataColumn(key)),
    dictionary: dictionaries.ofKey(key),
  };
}
