/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the rows */
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

type Values = ColumnSource["data"];

/** Characters of an id, and its bytes. */
const ID_LENGTH = 36;

const encoder = new TextEncoder();

/**
 * The columns of one row group, in the order of the schema. The writer takes `data` of each when its turn comes, and of the first once before, for
 * the number of rows: so the values of one column are in memory at a time, and ids, which come first, are made at once.
 */
export function rowGroupColumns(day: DayRows, rows: Uint32Array, dictionaries: Dictionaries, identityIdOf: IdentityIdOf | null): ColumnSource[] {
  const columns: ColumnSource[] = [
    { name: "id", data: idTexts(day, rows), encoding: "PLAIN" },
    lazily({ name: "createdAt", encoding: "DELTA_BINARY_PACKED" }, () => instantsOf(dayStartMs(day.day), day.times, rows)),
    ...FIELDS.map((field) => fieldColumn(field, day, rows, dictionaries.named(field.column))),
    // The smallest and largest of JSON texts help no reader, and are as long as the texts are.
    lazily({ name: "metadata", statistics: false }, () => metadataTexts(day, rows, dictionaries)),
  ];
  if (identityIdOf !== null) {
    const values = identityIds(day, rows, identityIdOf);
    columns.push(textColumn("identityId", values.some((id) => id !== null), () => values));
  }
  return columns;
}

function fieldColumn({ column, camel, accepts }: FieldRow, day: DayRows, rows: Uint32Array, dictionary: Dictionary): ColumnSource {
  const codes = day.column(column);
  if (accepts === "boolean") {
    const trueCode = dictionary.codeOf("true");
    return lazily({ name: camel }, () => valuesOf(rows, (row) => codeAt(codes, row) === trueCode));
  }
  const textOf = (row: number) => {
    const code = codeAt(codes, row);
    return code === 0 ? null : dictionary.valueOf(code);
  };
  if (accepts !== "number") return textColumn(camel, rows.some((row) => codeAt(codes, row) !== 0), () => valuesOf(rows, textOf));
  return lazily({ name: camel }, () => valuesOf(rows, (row) => {
    const text = textOf(row);
    return text === null ? null : Number(text);
  }));
}

/** Dictionary-encoded, whatever it saves: readers group by codes. A dictionary of no values is more than some of them take. */
function textColumn(name: string, hasValues: boolean, make: () => Values): ColumnSource {
  return lazily(hasValues ? { name, encoding: "RLE_DICTIONARY" } : { name }, make);
}

function lazily(column: Omit<ColumnSource, "data">, make: () => Values): ColumnSource {
  return {
    ...column,
    get data() {
      return make();
    },
  };
}

/** Ids as the bytes of their texts, views of one buffer: the writer would make an array with a buffer of its own of each text. */
function idTexts({ ids }: DayRows, rows: Uint32Array): Uint8Array[] {
  const bytes = encoder.encode(valuesOf(rows, (row) => uuidText(ids, row * 16)).join(""));
  return Array.from({ length: rows.length }, (_, at) => bytes.subarray(at * ID_LENGTH, (at + 1) * ID_LENGTH));
}

function identityIds({ column }: DayRows, rows: Uint32Array, identityIdOf: IdentityIdOf): (string | null)[] {
  const [users, anonymous] = [column("userId"), column("anonymousId")];
  return valuesOf(rows, (row) => identityIdOf(codeAt(users, row), codeAt(anonymous, row)));
}

/** At its length from the start: an array that grows leaves twice as much garbage as it holds. */
function valuesOf<T>(rows: Uint32Array, read: (row: number) => T): T[] {
  const values = new Array<T>(rows.length);
  for (let at = 0; at < rows.length; at += 1) values[at] = read(rows[at]!);
  return values;
}
