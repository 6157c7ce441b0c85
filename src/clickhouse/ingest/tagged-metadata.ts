import { canonicalJson, isSetJson } from "../../filter/operand-value.js";
import { TAG } from "../sql/tags.js";
import { remembered } from "./remembered.js";

/** Columns of metadata: tagged values, and of arrays and objects their leaves. */
export type TaggedMetadata = Record<string, string | readonly string[]>;

const encoder = new TextEncoder();

/** The column of a metadata key. Letters and digits stay, every other byte becomes `_` and its hex: names without a meaning of their own. */
export function keyColumn(key: string): string {
  return `k_${escaped(key)}`;
}

/** The leaves of the array or object that a key has. */
export function keyLeavesColumn(key: string): string {
  return `e_${escaped(key)}`;
}

/** The column of what stands at a path within an object: keys with dots are on no path. */
export function pathColumn(path: string): string {
  return `w_${escaped(path)}`;
}

export function pathLeavesColumn(path: string): string {
  return `v_${escaped(path)}`;
}

const escaped = remembered((key) => {
  const names = Array.from(encoder.encode(key), (byte) => {
    const character = String.fromCharCode(byte);
    return /[A-Za-z0-9]/.test(character) ? character : `_${byte.toString(16).padStart(2, "0")}`;
  });
  return names.join("");
});

/** Metadata as columns, each value once under its key, and what lies deeper once more under its path. @param texts JSON texts of the values */
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

/** @param json what is kept of an array or object */
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

/** The leaves that count as a value, whatever it is: none where it is not set. */
export function taggedLeaves(value: unknown): string[] {
  return isSetJson(value) ? leavesOf(value) : [];
}

/** What an array holds that is set, arrays within it too; an object itself, its keys in order. */
function leavesOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.filter(isSetJson).flatMap(leavesOf);
  return [typeof value === "object" && value !== null ? TAG.object + canonicalJson(value) : scalarOf(value)];
}

/** The JSON text behind a tag. */
export function jsonOfTagged(tagged: string): string {
  const text = tagged.slice(1);
  if (tagged.startsWith(TAG.text)) return JSON.stringify(text);
  return tagged.startsWith(TAG.null) ? "null" : text;
}
