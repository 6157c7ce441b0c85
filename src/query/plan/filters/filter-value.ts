import { shown, type ErrorCode } from "../../../core/base/errors.js";
import { parseJsonText } from "../../../core/base/json-text.js";
import { LIMITS } from "../../../core/base/limits.js";
import { memberError, type InputMembers } from "../members.js";

/** Whether a text has more than `max` characters, counted as code points. */
export function isLongerThan(text: string, max: number): boolean {
  if (text.length <= max) return false;
  if (text.length > 2 * max) return true;
  let count = 0;
  for (const _ of text) count += 1;
  return count > max;
}

/**
 * The text of a filter's `value`: a string as it is, a number, boolean or array as its JSON text.
 * @throws invalid_filter_value, invalid_parameter (an object), `tooLong`
 */
export function readValueText(
  filter: InputMembers,
  maxChars: number = LIMITS.filterValueChars,
  tooLong: ErrorCode = "invalid_filter_value",
): string {
  const value = filter.values.get("value");
  if (value === undefined) throw valueError(filter, "expected a value, got none");
  const text = typeof value === "string" ? value : textOf(filter, value);
  if (isLongerThan(text, maxChars)) {
    throw memberError(filter, "value", `expected at most ${maxChars} characters, got ${text.length}`, tooLong);
  }
  return wellFormed(filter, text);
}

function wellFormed(filter: InputMembers, text: string): string {
  if (!text.isWellFormed()) throw valueError(filter, "expected Unicode text, got a lone surrogate");
  return text;
}

function textOf(filter: InputMembers, value: unknown): string {
  if (typeof value === "number" || typeof value === "boolean") return scalarText(filter, value);
  if (Array.isArray(value)) {
    for (const item of value as readonly unknown[]) scalarText(filter, item);
    return JSON.stringify(value);
  }
  throw memberError(filter, "value", `expected a string, number, boolean or array of these, got ${shown(value)}`);
}

/** The text of an item; null means not set, like `""`. */
function scalarText(filter: InputMembers, item: unknown): string {
  if (item === null || item === undefined) return "";
  if (typeof item === "string") return wellFormed(filter, item);
  if (typeof item === "boolean" || (typeof item === "number" && Number.isFinite(item))) return JSON.stringify(item);
  throw valueError(filter, `expected strings, finite numbers and booleans, got ${shown(item)}`);
}

/**
 * The items of a list: of a JSON array of scalars, else of the text split at commas (`\,` is a literal comma), trimmed, without the empty ones.
 * @throws invalid_filter_value (no item is left)
 */
export function readValueList(filter: InputMembers): readonly string[] {
  const text = readValueText(filter);
  const array = parseArray(text);
  const items = array === null ? splitAtCommas(text) : array.map((item) => scalarText(filter, item));
  if (items.length === 0) throw valueError(filter, `expected a list of at least one item, got ${shown(text)}`);
  return items;
}

function parseArray(text: string): readonly unknown[] | null {
  if (!text.trimStart().startsWith("[")) return null;
  try {
    const value = parseJsonText(text);
    return Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

function splitAtCommas(text: string): readonly string[] {
  return (text.match(/(?:\\,|[^,])+/g) ?? [])
    .map((item) => item.replaceAll("\\,", ",").trim())
    .filter((item) => item !== "");
}

export function valueError(filter: InputMembers, reason: string) {
  return memberError(filter, "value", reason, "invalid_filter_value");
}
