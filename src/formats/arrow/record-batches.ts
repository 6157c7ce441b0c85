/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by their columns */
import {
  Bool, FixedSizeBinary, Float64, Null, TimestampMillisecond, Uint32, makeData, Dictionary, Uint16, Uint8, Utf8, Vector, Field, RecordBatch, Schema,
  Struct, type Data, type DataType,
} from "apache-arrow";
import { getOrMake } from "../../core/base/arrays.js";
import { parameterError, shown } from "../../core/base/errors.js";
import { dayStartMs, isoOfDay } from "../../core/base/time.js";
import { allocateCodes, codeWidth, type Codes } from "../../storage/column/codes.js";
import { denseCodes } from "../../storage/column/column.js";
import { yieldToEventLoop } from "../../core/base/yield.js";
import type { Dictionaries } from "../../storage/column/dictionaries.js";
import {
  FIELDS, metadataColumn, FIELD_COUNT, SHAPE_COLUMN, fieldIndex, ID_COLUMN, SEQUENCE_COLUMN, TIME_COLUMN, type FieldRow,
} from "../../core/schema/fields.js";
import { type Rows, whilePinned } from "../../storage/segment/rows.js";
import { instantsOf, asDayRows, daysOf, rowsInRange, type EventRange } from "./day-rows.js";
import { flagData, numberData, utf8Data, validityOf } from "./utf8-data.js";

type CellArray = Int32Array | Uint8Array | Uint16Array | Uint32Array;

/** The selected rows of a segment or head, ascending, at least one. */
class Cut {
  readonly #first: number;
  readonly #isRun: boolean;

  constructor(readonly rows: Uint32Array) {
    this.#first = rows[0]!;
    this.#isRun = rows.at(-1)! - this.#first === rows.length - 1;
  }

  get length(): number {
    return this.rows.length;
  }

  /** The values of the rows: a view if the rows are contiguous, else a copy. @param width values of one row */
  of<T extends CellArray>(values: T, width = 1): T {
    if (this.#isRun) return values.subarray(this.#first * width, (this.#first + this.length) * width) as T;
    const taken = new (values.constructor as new (length: number) => T)(this.length * width);
    for (let at = 0; at < this.length; at += 1) {
      for (let part = 0; part < width; part += 1) taken[at * width + part] = values[this.rows[at]! * width + part]!;
    }
    return taken;
  }
}

/** A store's dictionary in Arrow form: one type per index width, all with one id, and the values known so far. */
interface DictionaryVector {
  readonly types: Readonly<Record<1 | 2 | 4, Dictionary>>;
  readonly values: Vector<Utf8>;
}

const known = new WeakMap<Dictionaries, Map<string, DictionaryVector>>();

/**
 * The values of a column's dictionary by code, `""` at code 0. Shared by all batches until the dictionary grows.
 * Cost: encodes each text once per size of the dictionary.
 */
function dictionaryVector(dictionaries: Dictionaries, column: string): DictionaryVector {
  const vectors = getOrMake(known, dictionaries, () => new Map<string, DictionaryVector>());
  const { values } = dictionaries.named(column);
  const made = vectors.get(column);
  if (made !== undefined && made.values.length === values.length) return made;
  const types = made?.types ?? typesOf(dictionaryId(column));
  const vector = { types, values: new Vector([utf8Data(values)]) };
  vectors.set(column, vector);
  return vector;
}

function typesOf(id: number): DictionaryVector["types"] {
  const values = new Utf8();
  return {
    1: new Dictionary(values, new Uint8(), id),
    2: new Dictionary(values, new Uint16(), id),
    4: new Dictionary(values, new Uint32(), id),
  };
}

/** Stable for a column wherever it occurs: fields, then shapes, then metadata keys by their code. */
function dictionaryId(column: string): number {
  const field = fieldIndex(column);
  if (field >= 0) return field;
  return column === SHAPE_COLUMN ? FIELD_COUNT : FIELD_COUNT + Number(column.slice(1));
}

interface BatchColumn {
  readonly name: string;
  readonly type: DataType;
  readonly isNullable: boolean;
  /** The stored column that must be loaded; null: none except times, ids and sequences. */
  readonly column: string | null;
  data(rows: Rows, cut: Cut): Data;
}

const METADATA_PREFIX = "metadata.";
const KEY_COLUMN = /^m(\d+)$/;
const fieldsByName = new Map(FIELDS.map((field) => [field.camel, field]));

/** All columns in which a batch of these rows may have a value: every field, and the metadata keys of the rows, in order of first use. */
function batchColumnNames(parts: readonly Rows[], dictionaries: Dictionaries): string[] {
  const keys = new Set(parts.flatMap((rows) => rows.columnNames().flatMap((name) => KEY_COLUMN.exec(name)?.[1] ?? []).map(Number)));
  const keyNames = [...keys].sort((a, b) => a - b).map((key) => `${METADATA_PREFIX}${dictionaries.keyOf(key)}`);
  return ["id", "createdAt", "sequence", ...fieldsByName.keys(), ...keyNames];
}

/** The column of a name. @param parts rows of all batches, so that codes have one width in all @throws invalid_parameter */
function batchColumn(name: string, parts: readonly Rows[], dictionaries: Dictionaries): BatchColumn {
  if (name === "id") return idColumn;
  if (name === "createdAt") return timeColumn;
  if (name === "sequence") return sequenceColumn;
  const field = fieldsByName.get(name);
  if (field !== undefined) return fieldColumn(field, parts, dictionaries);
  if (!name.startsWith(METADATA_PREFIX))
    throw parameterError("invalid_parameter", "columns", `expected id, createdAt, sequence, a field or metadata.KEY, got ${shown(name)}`);
  const key = dictionaries.knownKeyCode(name.slice(METADATA_PREFIX.length));
  return key < 0 ? absentKey(name) : codeColumn(name, metadataColumn(key), parts, dictionaries);
}

const idColumn: BatchColumn = {
  name: "id", type: new FixedSizeBinary(16), isNullable: false, column: null,
  data: (rows, cut) => makeData({ type: new FixedSizeBinary(16), length: cut.length, nullCount: 0, data: cut.of(rows.ids(), 16) }),
};

const timeColumn: BatchColumn = {
  name: "createdAt", type: new TimestampMillisecond("UTC"), isNullable: false, column: null,
  data: (rows, cut) => {
    const data = instantsOf(dayStartMs(rows.day), rows.times(), cut.rows);
    return makeData({ type: new TimestampMillisecond("UTC"), length: cut.length, nullCount: 0, data });
  },
};

const sequenceColumn: BatchColumn = {
  name: "sequence", type: new Uint32(), isNullable: false, column: null,
  data: (rows, cut) => makeData({ type: new Uint32(), length: cut.length, nullCount: 0, data: cut.of(rows.sequences()) }),
};

/** The column of a key that no event ever had. */
function absentKey(name: string): BatchColumn {
  const data = (_: Rows, { length }: Cut) => makeData({ type: new Null(), length, nullCount: length });
  return { name, type: new Null(), isNullable: true, column: null, data };
}

function fieldColumn({ camel, column, accepts }: FieldRow, parts: readonly Rows[], dictionaries: Dictionaries): BatchColumn {
  const dictionary = dictionaries.named(column);
  if (accepts === "boolean") {
    const trueCode = dictionary.codeOf("true");
    return { name: camel, type: new Bool(), isNullable: false, column, data: (rows, cut) => flagData(codesOf(rows, cut, column), trueCode) };
  }
  if (accepts === "number") {
    const valueOf = (code: number) => Number(dictionary.valueOf(code));
    return { name: camel, type: new Float64(), isNullable: true, column, data: (rows, cut) => numberData(codesOf(rows, cut, column), valueOf) };
  }
  return codeColumn(camel, column, parts, dictionaries);
}

function codesOf(rows: Rows, cut: Cut, column: string): Codes {
  return cut.of(denseCodes(rows.column(column)));
}

/** The stored codes as indexes of a dictionary, with one width in all batches: narrower codes are copied. */
function codeColumn(name: string, column: string, parts: readonly Rows[], dictionaries: Dictionaries): BatchColumn {
  const { types, values } = dictionaryVector(dictionaries, column);
  const width = Math.max(1, ...parts.map((rows) => widthOf(rows, column))) as 1 | 2 | 4;
  const type = types[width];
  const data = (rows: Rows, cut: Cut) => {
    const codes = codesOf(rows, cut, column);
    return makeData({ type, length: cut.length, ...validityOf(codes).done(), data: widened(codes, width), dictionary: values });
  };
  return { name, type, isNullable: true, column, data };
}

function widthOf(rows: Rows, column: string): number {
  const zone = rows.zone(column);
  if (zone === null) return 1;
  return rows.sealed ? codeWidth(zone.max) : rows.column(column).codes.BYTES_PER_ELEMENT;
}

function widened(codes: Codes, width: 1 | 2 | 4): Codes {
  if (codes.BYTES_PER_ELEMENT === width) return codes;
  const wide = allocateCodes(codes.length, width === 2 ? 0xffff : 0xffffffff);
  wide.set(codes);
  return wide;
}

export type { RecordBatch };

/**
 * The rows of a range as record batches with one schema, one for each segment and head that has some, days ascending. The metadata of a
 * batch's own schema names its day. Reading on loads the next batch; the rows of the former one may then be dropped from memory, while its
 * arrays stay valid.
 * @param rows of a snapshot that stays valid until the end
 * @param names of columns; null: all
 * @param pause yields between batches; what it throws ends the export
 * @throws corruption, invalid_parameter (a name that is no column)
 */
export async function* recordBatches(
  rows: readonly Rows[],
  dictionaries: Dictionaries,
  range: EventRange,
  names: readonly string[] | null,
  pause: () => Promise<void> = yieldToEventLoop,
): AsyncGenerator<RecordBatch> {
  const projectCode = range.project === null ? null : dictionaries.named("project").codeOf(range.project);
  const parts = daysOf(rows, range, projectCode).flat();
  const columns = (names ?? batchColumnNames(parts, dictionaries)).map((name) => batchColumn(name, parts, dictionaries));
  const fields = columns.map(({ name, type, isNullable }) => new Field(name, type, isNullable));
  const loaded = [TIME_COLUMN, ID_COLUMN, SEQUENCE_COLUMN, "project", ...columns.flatMap(({ column }) => column ?? [])];
  for (const part of parts) {
    await pause();
    const batch = await whilePinned([part], async () => {
      await part.load(loaded);
      const selected = rowsInRange(asDayRows(part, loaded), range, projectCode);
      if (selected.length === 0) return null;
      const cut = new Cut(selected);
      const children = columns.map(({ data }) => data(part, cut));
      const day = new Map([["day", isoOfDay(part.day).slice(0, 10)]]);
      return new RecordBatch(new Schema(fields, day), makeData({ type: new Struct(fields), length: cut.length, nullCount: 0, children }));
    });
    if (batch !== null) yield batch;
  }
}
