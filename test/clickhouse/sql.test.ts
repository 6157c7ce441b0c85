import { describe, expect, test } from "vitest";
import { isoOf, parseDateOnly, parseTimestamp } from "../../src/core/base/time.js";
import { instantOfText, isoTextOf } from "../../src/clickhouse/sql/value-test.js";
import { joined, piecesOf, Sql, sql, text, texts } from "../../src/clickhouse/sql/sql.js";
import { nastyInstants } from "../support/random/nasty-values.js";
import { seededRandom } from "../../src/testing/random.js";
import { connectTo, serverUrl } from "./kit.js";

async function rowsOf<Row extends readonly unknown[]>(statement: Sql): Promise<Row[]> {
  const connection = await connectTo({ url: serverUrl(), database: "default" });
  try {
    return await connection.rows<Row>(statement);
  } finally {
    await connection.close();
  }
}

/** What an expression of `value` makes of each text. */
async function valuesOf<T>(values: readonly string[], expression: Sql): Promise<T[]> {
  const rows = await rowsOf<[T]>(sql`SELECT ${expression} FROM (SELECT arrayJoin(arrayEnumerate(${texts(values)})) AS place,
      ${texts(values)}[place] AS value) ORDER BY place`);
  return rows.map(([value]) => value);
}

test("every character is lowered as JavaScript lowers it", async () => {
  const assigned = Array.from({ length: 0x20000 }, (_, code) => code).filter((code) => (code < 0xd800 || code > 0xdfff) && code > 0);
  // Others have no case, in both: a text with all of them would only be long.
  const cased = assigned.map((code) => String.fromCodePoint(code)).filter((text) => /[\p{L}\p{M}\p{N}\p{S}]/u.test(text));
  const lowered = await valuesOf<string>(cased, sql`lowerUTF8(value)`);
  expect(cased.filter((text, at) => lowered[at] !== text.toLowerCase())).toEqual([]);
  expect(cased.length).toBeGreaterThan(50_000);
  const words = ["ΟΔΥΣΣΕΥΣ", "ΣΑΣ Σ", "İSTANBUL", "ẞ", "AΣ.", "Σ"];
  expect(await valuesOf<string>(words, sql`lowerUTF8(value)`)).toEqual(words.map((word) => word.toLowerCase()));
});

test("long lists come in pieces, none of which a server refuses", async () => {
  const many = Array.from({ length: 30_000 }, (_, at) => `text ${at}`);
  const [[count, isLast, isKnown] = [0, 0, 0]] = await rowsOf<[number, number, number]>(
    sql`SELECT length(${texts(many)}), ${texts(many)}[-1] = ${text("text 29999")}, countIf(value IN ${texts(many)})
      FROM (SELECT concat('text ', toString(number)) AS value FROM numbers(30001))`);
  expect([count, isLast, isKnown]).toEqual([30_000, 1, 30_000]);
});

describe("a text that is longer than a field of a form", () => {
  const ones = joined(Array.from({ length: 30_000 }, () => sql`1 + 0`), ", ");
  const values = { letters: "a text & more", cyrillic: "Ж".repeat(16_000), apostrophes: "'\\\t".repeat(7_000) };

  test.each(Object.entries(values))("comes by itself, with its values beside it: %s", async (_, value) => {
    const [[count, given, list] = [0, "", [""]]] = await rowsOf<[number, string, string[]]>(sql`SELECT length([${ones}]), ${text(value)}, ${texts([value, ""])}`);
    expect([count, given, list]).toEqual([30_000, value, [value, ""]]);
  });

  test.each([
    ["a value is too long for one field", text("Ж".repeat(30_000))],
    ["all of them are too long for an address", texts(Array.from({ length: 80_000 }, (_, at) => `text ${at}`))],
    ["all of them are, of apostrophes", texts(Array.from({ length: 60 }, () => "'".repeat(4_096)))],
  ])("is refused where %s", async (_, value) => {
    await expect(rowsOf(sql`SELECT length([${ones}]), length(${value})`)).rejects.toMatchObject({ code: "too_many_filters" });
  });

  test("is one already where what a client adds to it makes it one", async () => {
    const filler = (byteLength: number) => sql`SELECT 1 /*${new Sql([" ".repeat(byteLength - 13)], [])}*/`;
    for (const byteLength of [130_047, 130_048, 130_049, 131_044, 131_072, 131_073])
      expect(await rowsOf(sql`${filler(byteLength)}, ${text("a")}`)).toEqual([[1, "a"]]);
  });
});

test("instants are read as they are read of texts", async () => {
  const random = seededRandom(5);
  const two = (most: number) => String(random.below(most)).padStart(2, "0");
  const dates = Array.from({ length: 3_000 }, () => `${random.pick(["1969", "1970", "2000", "2024", "2026", "2100", "9999"])}-${two(15)}-${two(33)}`);
  const fraction = () => random.pick(["", ".1", ".0009", ".123456789"]);
  const zone = () => random.pick(["Z", "z", "+02:00", "-23:59", "+24:00", ""]);
  const times = dates.map((date) => `${date}T${two(26)}:${two(62)}:${two(62)}${fraction()}${zone()}`);
  const given = [...dates, ...times, ...nastyInstants.map(String), "", "2026-03-01T00:00:00Z\n", "2026-03-01 00:00:00Z"];
  const read = await valuesOf<number | null>(given, instantOfText(sql`value`));
  expect(read).toEqual(given.map((text) => parseTimestamp(text) ?? parseDateOnly(text)));
  expect(read.filter((ms) => ms !== null).length).toBeGreaterThan(1_000);
});

test("times are shown as answers show them", async () => {
  const random = seededRandom(6);
  const anyMs = () => (random.chance(0.5) ? random.below(2 ** 31) * 1_000 : random.below(253_402_300) * 1e6 + random.below(1e6));
  const given = [0, 951_782_399_999, 253_402_300_799_999, ...Array.from({ length: 2_000 }, anyMs)];
  expect(await valuesOf<string>(given.map(String), isoTextOf(sql`toInt64(value)`))).toEqual(given.map(isoOf));
});

// As JSON a text of n letters takes n + 2, and a separator.
const rows = ["aaaa", "bb", "cc", "d", "eeeeeeeeeeeeeeeeeeee", "f"];

test.each([
  [{ itemCount: 10, charCount: 1_000 }, [6]],
  [{ itemCount: 2, charCount: 1_000 }, [2, 2, 2]],
  [{ itemCount: 10, charCount: 12 }, [2, 2, 1, 1]],
  [{ itemCount: 1, charCount: 1 }, [1, 1, 1, 1, 1, 1]],
])("Rows go in order into inserts of %j", (bounds, lengths) => {
  const pieces = [...piecesOf(rows, bounds)];
  expect(pieces.map((piece) => piece.length)).toEqual(lengths);
  expect(pieces.flat()).toEqual(rows);
});

test("Of no rows there is no insert.", () => {
  expect([...piecesOf([], { itemCount: 1, charCount: 1 })]).toEqual([]);
});
