import type { ColumnSource } from "hyparquet-writer";
import type { DayRows, IdentityIdOf } from "../arrow/day-rows.js";
import { instantsOf } from "../arrow/instants.js";
import { metadataTexts } from "../arrow/metadata-texts.js";
import { dayStartMs } from "../base/time.js";
import { uuidText } from "../base/uuid.js";
import { codeAt } from "../column/column.js";
import type { Dictionaries } from "../column/dictionaries.js";
import type { Dictionary } from "../column/dictionary.js";
import { FIELDS } from "../schema/fields.js";
import type { FieldRow } from "../schema/fields.js";

/** The columns of one row group, in the order of the schema. */
export function rowGroupColumns(day: DayRows, rows: Uint32Array, dictionaries: Dictionaries, identityIdOf: IdentityIdOf | null): ColumnSource[] {
  const columns: ColumnSource[] = [
    { name: "id", data: Array.from(rows, (row) => uuidText(day.ids, row * 16)), encoding: "PLAIN" },
    { name: "createdAt", data: instantsOf(dayStartMs(day.day), day.times, rows), encoding: "DELTA_BINARY_PACKED" },
    ...FIELDS.map((field) => fieldColumn(field, day, rows, dictionaries.named(field.column))),
    // The smallest and largest of JSON texts help no reader, and are as long as the texts are.
    { name: "metadata", data: metadataTexts(day, rows, dictionaries), statistics: false },
  ];
  if (identityIdOf !== null) columns.push(textColumn("identityId", identityIds(day, rows, identityIdOf)));
  return columns;
}

function fieldColumn({ column, camel, accepts }: FieldRow, day: DayRows, rows: Uint32Array, dictionary: Dictionary): ColumnSource {
  const codes = day.column(column);
  if (accepts === "boolean") {
    const trueCode = dictionary.codeOf("true");
    return { name: camel, data: Array.from(rows, (row) => codeAt(codes, row) === trueCode) };
  }
  const values = Array.from(rows, (row) => {
    const code = codeAt(codes, row);
    return code === 0 ? null : dictionary.valueOf(code);
  });
  return accepts === "number" ? { name: camel, data: values.map((text) => (text === null ? null : Number(text))) } : textColumn(camel, values);
}

/** Dictionary-encoded, whatever it saves: readers group by codes. A dictionary of no values is more than some of them take. */
function textColumn(name: string, data: (string | null)[]): ColumnSource {
  return data.some((text) => text !== null) ? { name, data, encoding: "RLE_DICTIONARY" } : { name, data };
}

function identityIds({ column }: DayRows, rows: Uint32Array, identityIdOf: IdentityIdOf): (string | null)[] {
  const [users, anonymous] = [column("userId"), column("anonymousId")];
  return Array.from(rows, (row) => identityIdOf(codeAt(users, row), codeAt(anonymous, row)));
}
