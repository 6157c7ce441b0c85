import { integerOf } from "../../arrow/event-columns.js";
import { shown } from "../../base/errors.js";
import { parseJsonText } from "../../base/json-text.js";
import { parseTimestamp } from "../../base/time.js";
import type { CellType, Source } from "./csv-map.js";

/** Why a row is no event: thrown by a cell, caught per row. */
export class CellFault extends Error {}

/** Makes one value of an event from the fields of a record; undefined where the cell is empty. @throws CellFault */
export type Cell = (fields: readonly string[]) => unknown;

type Convert = (text: string) => unknown;

/** What an instant becomes that a text names: epoch ms by themselves, or as a member of an event takes them. */
export type InstantForm = (ms: number) => number | string;

/** Compiles a source against the columns of a file. @throws Error when it names a column that the file does not have */
export function compileSource(source: Source, columns: readonly string[], place: string, instant: InstantForm = (ms) => ms): Cell {
  if (source.constant !== undefined) return () => source.constant;
  const convert = withLookup(source, converter(source.as ?? "text", source.format, instant), place);
  if (source.column !== undefined) {
    const index = columnIndex(source.column, columns, place);
    return (fields) => {
      const text = fields[index] ?? "";
      return text === "" && source.lookup?.[""] === undefined ? undefined : convert(text);
    };
  }
  const pieces = (source.template ?? "").split(/\{([^{}]*)\}/);
  const indexes = pieces.map((piece, at) => (at % 2 === 1 ? columnIndex(piece, columns, place) : -1));
  const encode = source.encode === "url" ? encodeURIComponent : (text: string) => text;
  return (fields) => convert(pieces.map((piece, at) => (at % 2 === 1 ? encode(fields[indexes[at] ?? -1] ?? "") : piece)).join(""));
}

function columnIndex(name: string, columns: readonly string[], place: string): number {
  const index = columns.indexOf(name);
  if (index === -1) throw new Error(`${place}: the file has no column ${shown(name)}, it has ${columns.map((column) => shown(column)).join(", ")}`);
  return index;
}

function withLookup(source: Source, convert: Convert, place: string): Convert {
  const { lookup, otherwise } = source;
  if (lookup === undefined) {
    return (text) => {
      const value = convert(text);
      if (value !== undefined) return value;
      throw new CellFault(`${place}: expected ${expected(source)}, got ${shown(text)}`);
    };
  }
  const values = new Map(Object.entries(lookup));
  return (text) => {
    if (values.has(text)) return values.get(text);
    if (otherwise !== undefined) return otherwise;
    throw new CellFault(`${place}: ${shown(text)} is not in the lookup and there is no "otherwise"`);
  };
}

function expected(source: Source): string {
  const type = source.as ?? "text";
  if (type === "time") return source.format === undefined ? "an RFC 3339 time or epoch ms" : `a time like ${source.format}`;
  return type === "integer" ? "a whole number" : type === "json" ? "JSON" : type === "boolean" ? "true or false" : `a ${type}`;
}

/** The reader of one cell type; it answers undefined for a text that is none. */
function converter(type: CellType, format: string | undefined, instant: InstantForm): Convert {
  switch (type) {
    case "text":
      return (text) => text;
    case "number":
      return (text) => (isNumber(text) ? numberIn(text) : undefined);
    case "integer":
      return (text) => (isInteger(text) ? integerOf(BigInt(text)) : isNumber(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined);
    case "boolean":
      return (text) => (text === "true" ? true : text === "false" ? false : undefined);
    case "json":
      return parsedJson;
    case "time":
      return format === undefined ? plainTime(instant) : formattedTime(format, instant);
  }
}

/** A number as JSON text has it: an integer that no double holds is the text of its digits. */
function numberIn(text: string): unknown {
  return isInteger(text) ? parseJsonText(String(BigInt(text))) : Number(text);
}

function isInteger(text: string): boolean {
  return /^[+-]?\d+$/.test(text);
}

function isNumber(text: string): boolean {
  return /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text));
}

function parsedJson(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch {
    return undefined;
  }
}

/** Digits stay the number that they are: whether they are ms is for the engine to judge. */
function plainTime(instant: InstantForm): Convert {
  return (text) => (/^\d{1,15}$/.test(text) ? Number(text) : instantOf(text, instant));
}

function instantOf(text: string, instant: InstantForm): number | string | undefined {
  const ms = parseTimestamp(text);
  return ms === null ? undefined : instant(ms);
}

const TOKENS: Readonly<Record<string, string>> = {
  YYYY: "(?<year>\\d{4})",
  MM: "(?<month>\\d{2})",
  DD: "(?<day>\\d{2})",
  HH: "(?<hour>\\d{2})",
  mm: "(?<minute>\\d{2})",
  SSS: "(?<ms>\\d{3})",
  ss: "(?<second>\\d{2})",
};

function formattedTime(format: string, instant: InstantForm): Convert {
  const pattern = format.replace(/YYYY|MM|DD|HH|mm|SSS|ss|[^A-Za-z0-9\s]/g, (token) => TOKENS[token] ?? `\\${token}`);
  const shape = new RegExp(`^${pattern}$`);
  let lastText = "";
  let last: number | string | undefined;
  // Rows of one invoice or one second stand together: the same text comes many times in a row.
  return (text) => {
    if (text === lastText) return last;
    const part = shape.exec(text)?.groups;
    lastText = text;
    if (part === undefined) last = undefined;
    else {
      const { year = "1970", month = "01", day = "01", hour = "00", minute = "00", second = "00", ms = "000" } = part;
      last = instantOf(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`, instant);
    }
    return last;
  };
}
