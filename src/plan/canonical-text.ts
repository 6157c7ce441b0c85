import { hash128, toHex } from "../base/hash.js";

/** When a question was put is no part of what it asks. */
const MOMENT = "nowMs";
/** Characters of an object that stands in a longer text as it is. */
const CHAR_COUNT_MAX = 256;

/**
 * JSON with sorted keys of what a question asks. Within it a longer object is `{"hash":…}` of its own text: a filter, or a segment of a
 * thousand conditions, may stand in hundreds of places, and is read once. Cost: the distinct objects.
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
