import { hash128, toHex } from "../../core/base/hash.js";

/** The time of a query is no part of its meaning. */
const MOMENT = "nowMs";
/** A longer text of a nested object is replaced by its hash. */
const CHAR_COUNT_MAX = 256;

/**
 * JSON of a query with sorted keys. A longer object within it becomes `{"hash":…}` of its own text: a filter, or a segment of a thousand
 * conditions, may occur in hundreds of places, and is serialized once. Cost: the distinct objects.
 */
export function canonicalText(value: unknown): string {
  const known = new Map<object, string>();
  const textOf = (member: unknown): string => {
    if (typeof member !== "object" || member === null) return JSON.stringify(member);
    if (Array.isArray(member)) return `[${member.map(textOf).join(",")}]`;
    const before = known.get(member);
    if (before !== undefined) return before;
    const text = objectText(member, textOf);
    const short = text.length > CHAR_COUNT_MAX ? `{"hash":"${toHex(hash128("object", text))}"}` : text;
    known.set(member, short);
    return short;
  };
  return typeof value === "object" && value !== null && !Array.isArray(value) ? objectText(value, textOf) : textOf(value);
}

function objectText(object: object, textOf: (member: unknown) => string): string {
  const members = Object.entries(object).filter(([name]) => name !== MOMENT).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${textOf(member)}`).join(",")}}`;
}
