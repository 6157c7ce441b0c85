import { parseJsonText } from "../../core/base/json-text.js";

/** The texts that the filters and conditions of a segment compare with: each value, and each item of a value that may be a list. */
export function textsOf(groups: readonly unknown[]): readonly string[] {
  return groups.flatMap((group) => itemsOf(group, "conditions").flatMap((condition) => [...valueTexts(condition), ...itemsOf(condition, "filterGroups").flatMap(filterTexts)]));
}

function filterTexts(group: unknown): readonly string[] {
  return itemsOf(group, "filters").flatMap(valueTexts);
}

/** Includes the items of a text read as a list, whether or not the operator takes lists: a text too many does no harm. */
function valueTexts(filter: unknown): readonly string[] {
  const value = memberOf(filter, "value");
  const texts = (Array.isArray(value) ? value : [value]).filter((item) => item !== null && item !== undefined).map(String);
  return texts.flatMap((text) => [text, ...arrayItems(text), ...(text.match(/(?:\\,|[^,])+/g) ?? []).map((item) => item.replaceAll("\\,", ",").trim())]);
}

function arrayItems(text: string): readonly string[] {
  if (!text.trimStart().startsWith("[")) return [];
  try {
    const value = parseJsonText(text);
    return Array.isArray(value) ? value.map(String) : [];
  } catch {
    return [];
  }
}

function itemsOf(value: unknown, name: string): readonly unknown[] {
  const items = memberOf(value, name);
  return Array.isArray(items) ? items : [];
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}
