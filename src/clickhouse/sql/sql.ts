import { assert } from "../../core/base/errors.js";

/** A value sent beside a statement, with its type there. */
export interface Bound {
  readonly type: string;
  readonly value: unknown;
}

export class Sql {
  constructor(
    readonly texts: readonly string[],
    readonly between: readonly (Sql | Bound)[],
  ) {}
}

/** A template of SQL: values are bound, and never become part of the text. */
export function sql(texts: TemplateStringsArray, ...between: readonly (Sql | Bound)[]): Sql {
  return new Sql(texts, between);
}

export const EMPTY = new Sql([""], []);

/** Text of this package as it is: never of users, as nothing in it is escaped. */
export function raw(piece: string): Sql {
  return new Sql([piece], []);
}

/** Whether a word stands in the text of SQL, outside its values. */
export function mentions({ texts, between }: Sql, word: string): boolean {
  return texts.some((text) => text.includes(word)) || between.some((part) => part instanceof Sql && mentions(part, word));
}

/** The id of nothing, also as the text that creates tables: links made by events have it as their record. */
export const NO_ID_TEXT = "toUUID('00000000-0000-0000-0000-000000000000')";
export const NO_ID = raw(NO_ID_TEXT);

export function joined(pieces: readonly (Sql | Bound)[], separator: string): Sql {
  if (pieces.length === 0) return EMPTY;
  return new Sql(["", ...pieces.slice(1).map(() => separator), ""], pieces);
}

/** Whether all conditions hold; true without conditions. */
export function allOf(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql`true` : joined(conditions.map((condition) => sql`(${condition})`), " AND ");
}

/** Whether any condition holds; false without conditions. */
export function anyOf(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql`false` : sql`(${joined(conditions.map((condition) => sql`(${condition})`), " OR ")})`;
}

export function text(value: string): Bound {
  return { type: "String", value };
}

export function texts(values: readonly string[]): Bound {
  return { type: "Array(String)", value: values };
}

/** Lists of texts, each with one text per breakdown field. */
export function combinations(values: readonly (readonly string[])[]): Bound {
  return { type: "Array(Array(String))", value: values };
}

export function limitOf(limit: number | null): Sql {
  return limit === null ? EMPTY : sql`LIMIT ${whole(limit)}`;
}

export function wholes(values: readonly number[]): Bound {
  return { type: "Array(Int64)", value: values };
}

/** A whole number, such as epoch ms or a count. An infinite bound of a range becomes ±2^53, which no row reaches. */
export function whole(value: number): Bound {
  assert(Number.isInteger(value) || Math.abs(value) === Infinity, "a whole number is bound");
  return { type: "Int64", value: String(Math.max(-(2 ** 53), Math.min(2 ** 53, value))) };
}

export function float(value: number): Bound {
  return { type: "Float64", value: Object.is(value, -0) ? "0" : String(value) };
}

export function uuid(value: string): Bound {
  return { type: "UUID", value };
}

export function uuids(values: readonly string[]): Bound {
  return { type: "Array(UUID)", value: values };
}

export function name(value: string): Bound {
  return { type: "Identifier", value };
}

interface Statement {
  readonly query: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Bound for the length of a value: a server reads no form field of more than 128 KiB. */
const FIELD_CHARS = 32_768;

/** The text of SQL with a parameter for each bound value; equal values share one. Long lists are sent in chunks. */
export function statementOf(piece: Sql): Statement {
  const params: Record<string, unknown> = {};
  const names = new Map<string, string>();
  const parts: string[] = [];
  const boundOf = ({ type, value }: Bound) => {
    const key = `${type} ${JSON.stringify(value)}`;
    const known = names.get(key) ?? `p${names.size}`;
    names.set(key, known);
    params[known] = value;
    return `{${known}:${type}}`;
  };
  const write = ({ texts: pieces, between }: Sql) => {
    pieces.forEach((piece, at) => {
      parts.push(piece);
      const next = between[at];
      if (next instanceof Sql) write(next);
      else if (next !== undefined) parts.push(joinedList(boundPieces(next).map(boundOf)));
    });
  };
  write(piece);
  return { query: parts.join(""), params };
}

function joinedList(pieces: readonly string[]): string {
  return pieces.length === 1 ? pieces.join() : `arrayConcat(${pieces.join(", ")})`;
}

/** Splits a long list into chunks; anything else stays as it is. */
function boundPieces(bound: Bound): readonly Bound[] {
  const { type, value } = bound;
  if (!Array.isArray(value) || JSON.stringify(value).length <= FIELD_CHARS) return [bound];
  return shortLists(value as readonly unknown[]).map((piece) => ({ type, value: piece }));
}

/** Splits items into lists that are short enough to be sent, in order; without items there is no list. */
export function shortLists<T>(items: readonly T[]): (readonly T[])[] {
  return [...piecesOf(items, { itemCount: Infinity, charCount: FIELD_CHARS })];
}

/** Splits items into lists, in order; an oversized item is a list by itself. @param bounds `charCount`: as JSON, with a separator each */
export function* piecesOf<T>(items: readonly T[], { itemCount, charCount }: { readonly itemCount: number; readonly charCount: number }): Generator<readonly T[]> {
  let [from, ownCount] = [0, 0];
  for (const [at, item] of items.entries()) {
    const length = JSON.stringify(item).length + 1;
    if (at > from && (at - from === itemCount || ownCount + length > charCount)) {
      yield items.slice(from, at);
      [from, ownCount] = [at, 0];
    }
    ownCount += length;
  }
  if (from < items.length) yield items.slice(from);
}
