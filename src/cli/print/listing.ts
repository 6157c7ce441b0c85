import { cell, words } from "./cell.js";
import { table } from "./table.js";

/** What an answer is made of, as far as a listing knows it. */
export type Item = Readonly<Record<string, unknown>>;

/** A unit of time as it is named, with a star where it is not whole. */
export function bucketText({ start, end, local, partial }: Item): string {
  const day = (instant: unknown) => (typeof instant === "string" ? instant.slice(0, 10) : "");
  const name = typeof local === "string" ? local : `${day(start)} .. ${day(end)}`;
  return partial === true ? `${name} *` : name;
}

/** Items below one another, in columns by their members; columns in which nothing stands are left out. */
export function listing(items: readonly Item[], indent: string): string {
  if (items.length === 0) return `${indent}(none)\n`;
  const rows = items.map(flat);
  const names = [...new Set(rows.flatMap((row) => [...row.keys()]))].filter((name) => rows.some((row) => !isNothing(row.get(name))));
  if (names.length === 0) return `${indent}(none)\n`;
  const isNumber = (name: string) => rows.every((row) => typeof (row.get(name) ?? 0) === "number");
  const lines = rows.map((row) => names.map((name) => cell(name, row.get(name))));
  return table([names.map(words), ...lines], names.map((name) => (isNumber(name) ? ">" : "<")).join(""), indent);
}

/** One thing: its numbers and texts, then its lists, each below its name. */
export function facts(answer: Item): string {
  const members = [...flat(answer)];
  const isList = (value: unknown) => Array.isArray(value) && value.some((item) => typeof item === "object");
  const single = members.filter(([, value]) => !Array.isArray(value) || (value.length > 0 && !isList(value)));
  const lists = members.flatMap(([name, value]) => (isList(value) ? [`\n${words(name)}\n${listing(value as readonly Item[], "  ")}`] : []));
  const text = single.length === 0 ? "" : table(single.map(([name, value]) => [words(name), cell(name, value)]), "<<");
  return `${text}${lists.join("")}`;
}

/** The members of an item and, in their places, those of objects in it; metadata stays one, and a unit of time becomes one. */
function flat(item: Item): ReadonlyMap<string, unknown> {
  const row = new Map<string, unknown>();
  if ("local" in item && "partial" in item) row.set("when", bucketText(item));
  for (const [name, value] of Object.entries(item)) {
    if (row.has("when") && ["start", "end", "local", "partial"].includes(name)) continue;
    if (typeof value !== "object" || value === null || Array.isArray(value) || name === "metadata") row.set(name, value);
    else for (const [inner, member] of flat(value as Item)) row.set(inner, member);
  }
  return row;
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined || value === "" || (typeof value === "object" && Object.keys(value).length === 0);
}
