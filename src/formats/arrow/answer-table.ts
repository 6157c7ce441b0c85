import { Bool, Field, Float64, RecordBatch, Schema, Struct, Table, TimestampMillisecond, makeData, tableToIPC, type Data } from "apache-arrow";
import { isPlainObject } from "../../core/schema/metadata.js";
import type { AnswerList } from "./answer-list.js";
import { Validity, utf8Data } from "./utf8-data.js";

export type { Table };

/** Members that are instants, by their names in the library and on the wire. */
const INSTANTS = /^(?:day|start|end|firstSeen|lastSeen|first_seen|last_seen|\w+At|\w+_at)$/;
const ISO_INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
/** Members that are numbers or null, by their names in the library: a column of nulls only still gets the type of numbers. */
const NUMBERS = new Set([
  "avg", "bounceRate", "conversionRate", "durationAvgSec", "durationMedianSec", "durationP90Sec", "entities", "pagesPerSession", "rate", "stepRate",
  "total", "viewsPerVisit",
]);
const VALUE_COLUMN = "value";

/** Instants become timestamps of UTC ms, nested values JSON text, null not set. Other members of the result go to the schema's metadata. */
export function answerTable({ rows, beside }: AnswerList): Table {
  const items = rows.map((row) => (isPlainObject(row) ? row : { [VALUE_COLUMN]: row }));
  const names = new Set(items.flatMap((item) => Object.keys(item)));
  const columns = [...names].map((name) => ({ name, data: columnData(name, items.map((item) => item[name] ?? null)) }));
  const fields = columns.map(({ name, data }) => new Field(name, data.type, true));
  const extras = Object.entries(beside).filter(([, value]) => value !== null && value !== undefined);
  const metadata = new Map(extras.map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]));
  const children = columns.map(({ data }) => data);
  const schema = new Schema(fields, metadata);
  return new Table(new RecordBatch(schema, makeData({ type: new Struct(fields), length: items.length, nullCount: 0, children })));
}

export function answerStream(list: AnswerList): Uint8Array {
  return tableToIPC(answerTable(list), "stream");
}

function columnData(name: string, values: readonly unknown[]): Data {
  const set = values.filter((value) => value !== null);
  const isEvery = (type: string) => set.every((value) => typeof value === type);
  if (set.length > 0 && isEvery("boolean")) return flags(values);
  if (set.length > 0 ? isEvery("number") : NUMBERS.has(inCamelCase(name))) return numbers(values);
  if (!isEvery("string")) return utf8Data(values.map((value) => (value === null ? null : JSON.stringify(value))));
  const texts = values as readonly (string | null)[];
  return INSTANTS.test(name) && texts.every((text) => text === null || ISO_INSTANT.test(text)) ? instants(texts) : utf8Data(texts);
}

function inCamelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function flags(values: readonly unknown[]): Data {
  const bits = new Validity(values.length);
  values.forEach((value, at) => (value === true ? bits.set(at) : undefined));
  return makeData({ type: new Bool(), length: values.length, ...validityOf(values).done(), data: bits.bits });
}

function numbers(values: readonly unknown[]): Data {
  return makeData({ type: new Float64(), length: values.length, ...validityOf(values).done(), data: Float64Array.from(values, Number) });
}

function instants(values: readonly (string | null)[]): Data {
  const data = BigInt64Array.from(values, (value) => BigInt(value === null ? 0 : Date.parse(value)));
  return makeData({ type: new TimestampMillisecond("UTC"), length: values.length, ...validityOf(values).done(), data });
}

function validityOf(values: readonly unknown[]): Validity {
  const validity = new Validity(values.length);
  values.forEach((value, at) => (value === null ? undefined : validity.set(at)));
  return validity;
}
