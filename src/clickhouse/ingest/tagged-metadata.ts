import { canonicalJson, isSetJson } from "../../query/filter/operand-value.js";
import { TAG } from "../sql/tags.js";
import { keyColumn, keyLeavesColumn, pathColumn, pathLeavesColumn } from "../tables/metadata-columns.js";

/** Columns of metadata: tagged values, and the leaves of arrays and objects. */
export type TaggedMetadata = Record<string, string | readonly string[]>;

/** Metadata as columns: each value under its key, and nested values also under their path. @param texts JSON texts of the values */
export function taggedMetadata(keys: readonly string[], texts: readonly string[]): TaggedMetadata {
  const columns: TaggedMetadata = {};
  keys.forEach((key, at) => {
    const json = texts[at] as string;
    const value: unknown = JSON.parse(json);
    put(columns, keyColumn(key), keyLeavesColumn(key), value, json);
    if (!key.includes(".")) putBelow(columns, key, value);
  });
  return columns;
}

function putBelow(columns: TaggedMetadata, path: string, value: unknown): void {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return;
  for (const [key, member] of Object.entries(value)) {
    if (key.includes(".")) continue;
    const below = `${path}.${key}`;
    put(columns, pathColumn(below), pathLeavesColumn(below), member, "");
    putBelow(columns, below, member);
  }
}

/** @param json text to store for an array or object */
function put(columns: TaggedMetadata, column: string, leavesColumn: string, value: unknown, json: string): void {
  if (typeof value !== "object" || value === null) {
    columns[column] = scalarOf(value);
    return;
  }
  columns[column] = (Array.isArray(value) ? TAG.array : TAG.object) + json;
  const leaves = leavesOf(value);
  if (leaves.length > 0) columns[leavesColumn] = leaves;
}

function scalarOf(value: unknown): string {
  if (typeof value === "string") return TAG.text + value;
  if (typeof value === "number") return TAG.number + JSON.stringify(value);
  return typeof value === "boolean" ? TAG.boolean + String(value) : TAG.null;
}

/** The leaves of any value: none where it is not set. */
export function taggedLeaves(value: unknown): string[] {
  return isSetJson(value) ? leavesOf(value) : [];
}

/** The set elements of an array, including nested arrays; an object is one leaf, with its keys in order. */
function leavesOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.filter(isSetJson).flatMap(leavesOf);
  return [typeof value === "object" && value !== null ? TAG.object + canonicalJson(value) : scalarOf(value)];
}

/** The JSON text of a tagged value. */
export function jsonOfTagged(tagged: string): string {
  const text = tagged.slice(1);
  if (tagged.startsWith(TAG.text)) return JSON.stringify(text);
  return tagged.startsWith(TAG.null) ? "null" : text;
}
