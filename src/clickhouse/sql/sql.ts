import { assert } from "../../base/assert.js";

/** A value that is sent beside a statement, as the type that stands for it there. */
export interface Bound {
  readonly type: string;
  readonly value: unknown;
}

/** A piece of SQL: its text, and what is bound between the pieces of it. */
export class Sql {
  constructor(
    readonly texts: readonly string[],
    readonly between: readonly (Sql | Bound)[],
  ) {}
}

/** SQL that holds other SQL, and values that are bound and never become part of the text. */
export function sql(texts: TemplateStringsArray, ...between: readonly (Sql | Bound)[]): Sql {
  return new Sql(texts, between);
}

export const EMPTY = new Sql([""], []);

/** Pieces with a text between each two of them: `" AND "`, `", "`. */
export function joined(pieces: readonly (Sql | Bound)[], separator: string): Sql {
  if (pieces.length === 0) return EMPTY;
  return new Sql(["", ...pieces.slice(1).map(() => separator), ""], pieces);
}

/** All of them; true where there are none. */
export function allOf(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql`true` : joined(conditions.map((condition) => sql`(${condition})`), " AND ");
}

/** Some of them; false where there are none. */
export function anyOf(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql`false` : sql`(${joined(conditions.map((condition) => sql`(${condition})`), " OR ")})`;
}

export function text(value: string): Bound {
  return { type: "String", value };
}

export function texts(values: readonly string[]): Bound {
  return { type: "Array(String)", value: values };
}

/** Lists of texts, one for each of the fields by which something is broken down. */
export function combinations(values: readonly (readonly string[])[]): Bound {
  return { type: "Array(Array(String))", value: values };
}

/** Epoch ms. */
export function wholes(values: readonly number[]): Bound {
  return { type: "Array(Int64)", value: values };
}

/** Epoch ms, counts and the like. Bounds of ranges may be infinite: they become what no row reaches. */
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

/** A name of a table, or of a key of metadata. */
export function name(value: string): Bound {
  return { type: "Identifier", value };
}

/** A statement as it is sent. */
export interface Statement {
  readonly query: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Of a value that is sent: a server reads no field of a form that is longer than 128 KiB. */
const FIELD_CHARS = 32_768;

/** The text of SQL, with a name for each bound value: equal ones share it. Long lists are sent in pieces. */
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
      else if (next !== undefined) parts.push(joinedList(piecesOf(next).map(boundOf)));
    });
  };
  write(piece);
  return { query: parts.join(""), params };
}

function joinedList(pieces: readonly string[]): string {
  return pieces.length === 1 ? pieces.join() : `arrayConcat(${pieces.join(", ")})`;
}

/** A list as several that are each short enough; anything else as it is. */
function piecesOf(bound: Bound): readonly Bound[] {
  const { type, value } = bound;
  if (!Array.isArray(value) || JSON.stringify(value).length <= FIELD_CHARS) return [bound];
  return shortLists(value as readonly unknown[]).map((piece) => ({ type, value: piece }));
}

/** Items in lists that are each short enough to be sent, in their order; none for none. */
export function shortLists<T>(items: readonly T[]): T[][] {
  const lists: T[][] = [];
  let room = 0;
  for (const item of items) {
    const length = JSON.stringify(item).length + 1;
    if (length > room) {
      lists.push([]);
      room = FIELD_CHARS;
    }
    lists.at(-1)?.push(item);
    room -= length;
  }
  return lists;
}
