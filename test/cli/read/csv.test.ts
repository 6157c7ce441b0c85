import { describe, expect, test } from "vitest";
import { SERVER_LIMITS } from "../../../src/core/base/server-limits.js";
import { readCsv, type CsvRecord } from "../../../src/cli/read/csv.js";
import { chunksOf } from "./source.js";

async function recordsOf(text: string, delimiter = ",", chunkBytes = 7): Promise<CsvRecord[]> {
  const all: CsvRecord[] = [];
  for await (const records of readCsv(chunksOf(text, chunkBytes), delimiter)) all.push(...records);
  return all;
}

const fieldsOf = (records: readonly CsvRecord[]) => records.map((record) => ("fields" in record ? record.fields : record.reason));

describe("readCsv", () => {
  test.each<[title: string, text: string, expected: unknown[]]>([
    ["plain fields", "a,b,c\n", [["a", "b", "c"]]],
    ["no line feed at the end", "a,b", [["a", "b"]]],
    ["CRLF line ends", "a,b\r\nc,d\r\n", [["a", "b"], ["c", "d"]]],
    ["empty fields", ",,\n", [["", "", ""]]],
    ["empty lines between records", "a\n\n\r\nb\n", [["a"], ["b"]]],
    ["delimiters in quotes", '"a,b",c\n', [["a,b", "c"]]],
    ["doubled quotes", '"say ""hi""",x\n', [['say "hi"', "x"]]],
    ["an empty quoted field", '"",x\n', [["", "x"]]],
    ["a quoted last field before CRLF", 'x,"y"\r\nz\n', [["x", "y"], ["z"]]],
    ["line breaks in quotes", '"two\nlines",x\n"cr\r\nlf",y\n', [["two\nlines", "x"], ["cr\r\nlf", "y"]]],
    ["a quote of three", '"""",x\n', [['"', "x"]]],
    ["doubled quotes next to a line break", '"a""\n""b"\n', [['a"\n"b']]],
    ["blanks are kept", " a , b \n", [[" a ", " b "]]],
    ["letters of every plane", '"żółw,🐢",ok\n', [["żółw,🐢", "ok"]]],
  ])("reads %s", async (_, text, expected) => {
    for (const chunkBytes of [1, 4, 1000]) expect(fieldsOf(await recordsOf(text, ",", chunkBytes))).toEqual(expected);
  });

  test.each<[title: string, text: string, line: number, reason: string]>([
    ["text after a closing quote", 'ok\n"a"b,c\nok\n', 2, 'field 1: expected "," after the closing quote, got "b"'],
    ["a quote inside a bare field", 'ok\nx,5" disc\nok\n', 2, "field 2: a quote inside a field that does not begin with one"],
    ["a lone carriage return", "ok\na\rb\nok\n", 2, "a carriage return that is neither at the end of the line nor in quotes"],
    ["a line that ends with two carriage returns", "ok\na\r\r\nok\n", 2, "a carriage return that is neither at the end of the line nor in quotes"],
    ["a lone carriage return beside quotes", 'ok\n"x",a\rb\nok\n', 2, "a carriage return that is neither at the end of the line nor in quotes"],
    ["a byte order mark between files that were put together", "ok\n\ufeffa\nok\n", 2, "a byte order mark within the file"],
    ["a NUL byte", "ok\na\0b\nok\n", 2, "contains a NUL byte"],
    ["a lone carriage return after a quote", 'ok\n"a"\rb\nok\n', 2, 'field 1: expected "," after the closing quote, got "\\r"'],
  ])("rejects %s and reads on", async (_, text, line, reason) => {
    const records = await recordsOf(text);
    expect(records.map((record) => ("reason" in record ? record : record.fields))).toEqual([["ok"], { line, reason }, ["ok"]]);
  });

  test("names the line where a quote was opened that never closes", async () => {
    expect((await recordsOf('a\n"open\nmore\n')).slice(1)).toEqual([
      { line: 2, reason: "a quoted field is not closed at the end of the file" },
      { line: 3, reason: "is inside the quotes that line 2 opens" },
    ]);
  });

  test("names each line that an open quote takes in, also where another one closes it or bytes are no text", async () => {
    expect((await recordsOf('a,"open\nb,c\nd,"e"\nf\n', ",", 1_000)).map((record) => ("reason" in record ? record : record.fields))).toEqual([
      { line: 1, reason: 'field 2: expected "," after the closing quote, got "e"' },
      { line: 2, reason: "is inside the quotes that line 1 opens" },
      { line: 3, reason: "is inside the quotes that line 1 opens" },
      ["f"],
    ]);
    expect((await recordsOf('a,"open\nb\0\nc\n', ",", 1_000)).map((record) => ("reason" in record ? record : record.fields))).toEqual([
      { line: 1, reason: "its quoted field runs into line 2: contains a NUL byte" },
      { line: 2, reason: "contains a NUL byte" },
      ["c"],
    ]);
  });

  test("an open quote swallows a bounded part of the file only", async () => {
    const filler = `${"x".repeat(999)}\n`.repeat(Math.ceil(SERVER_LIMITS.importedLineBytes / 1000) + 1);
    const records = await recordsOf(`"open\n${filler}after,it\n`, ",", 1 << 16);
    expect(records[0]).toEqual({ line: 1, reason: "a quoted field is not closed within 1048576 characters" });
    expect(fieldsOf(records).at(-1)).toEqual(["after", "it"]);
  });

  test("numbers a record by its first line", async () => {
    const records = await recordsOf('"a\nb\nc"\nd\n');
    expect(records.map((record) => record.line)).toEqual([1, 4]);
  });

  test("takes another delimiter", async () => {
    expect(fieldsOf(await recordsOf("a;b,c\td\n", ";"))).toEqual([["a", "b,c\td"]]);
  });
});
