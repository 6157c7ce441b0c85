import { Dictionary, Uint16, Uint32, Uint8, Utf8, Vector } from "apache-arrow";
import type { Dictionaries } from "../column/dictionaries.js";
import { FIELD_COUNT, SHAPE_COLUMN, fieldIndex } from "../schema/fields.js";
import { utf8Data } from "./utf8-data.js";

/** A store's dictionary as Arrow sees it: one type per index width, all of one id, and the values as far as they went. */
export interface DictionaryVector {
  readonly types: Readonly<Record<1 | 2 | 4, Dictionary>>;
  readonly values: Vector<Utf8>;
}

const known = new WeakMap<Dictionaries, Map<string, DictionaryVector>>();

/**
 * The values of a column's dictionary by code, `""` at code 0. Shared by all batches until the dictionary grows.
 * Cost: each text is encoded once per size of the dictionary.
 */
export function dictionaryVector(dictionaries: Dictionaries, column: string): DictionaryVector {
  let vectors = known.get(dictionaries);
  if (vectors === undefined) {
    vectors = new Map();
    known.set(dictionaries, vectors);
  }
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

/** The same for a column wherever it occurs: fields, then shapes, then metadata keys by their code. */
export function dictionaryId(column: string): number {
  const field = fieldIndex(column);
  if (field >= 0) return field;
  return column === SHAPE_COLUMN ? FIELD_COUNT : FIELD_COUNT + Number(column.slice(1));
}
