import { describe, expect, test } from "vitest";
import { SERVER_LIMITS } from "../../../src/core/base/server-limits.js";
import { readLines, type Line } from "../../../src/cli/read/lines.js";
import { chunksOf } from "./source.js";

async function linesOf(content: string | Uint8Array, chunkBytes = 3): Promise<Line[]> {
  const all: Line[] = [];
  for await (const lines of readLines(chunksOf(content, chunkBytes))) all.push(...lines);
  return all;
}

describe("readLines", () => {
  test.each([1, 2, 3, 5, 1000])("cuts the same lines whatever the chunks: %i bytes each", async (chunkBytes) => {
    const text = "first\n\nünï↯𝄞\r\n\ufeffkept\nlast";
    const lines = await linesOf(text, chunkBytes);
    expect(lines.map((line) => line.text)).toEqual(["first", "", "ünï↯𝄞\r", "\ufeffkept", "last"]);
    expect(lines.map((line) => line.number)).toEqual([1, 2, 3, 4, 5]);
  });

  test("a text that ends with a line feed has no empty last line", async () => {
    expect((await linesOf("a\nb\n")).map((line) => line.text)).toEqual(["a", "b"]);
  });

  test("an empty text has no lines", async () => {
    expect(await linesOf("")).toEqual([]);
  });

  test("a byte order mark before the first line is dropped", async () => {
    expect((await linesOf("\ufeffid,name\n")).map((line) => line.text)).toEqual(["id,name"]);
  });

  test.each([2, 1000])("bytes that are not UTF-8 spoil their own line only (%i bytes each)", async (chunkBytes) => {
    const bytes = Uint8Array.from([...Buffer.from("good\nbad "), 0xff, ...Buffer.from("\ngood again\n")]);
    expect(await linesOf(bytes, chunkBytes)).toEqual([
      { number: 1, text: "good", fault: null },
      { number: 2, text: "", fault: "not valid UTF-8" },
      { number: 3, text: "good again", fault: null },
    ]);
  });

  test.each([1, 3, 1000])("in a file without line feeds carriage returns end lines (%i bytes each)", async (chunkBytes) => {
    expect((await linesOf("\ufeffa\r\rünï\rlast", chunkBytes)).map(({ number, text }) => [number, text])).toEqual([[1, "a"], [2, ""], [3, "ünï"], [4, "last"]]);
  });

  test("a file may have more than a line's bytes before it is seen that carriage returns end its lines", async () => {
    const lines = await linesOf("0123456789abcdef\r".repeat(200_000), 1 << 16);
    expect([lines.length, lines.every(({ text, fault }) => text === "0123456789abcdef" && fault === null)]).toEqual([200_000, true]);
    await expect(linesOf("0123456789abcdef\r".repeat(200_000) + "x\ny", 1 << 16)).rejects.toThrow(/^lines end with carriage returns up to line \d+, then with line feeds; expected one kind$/);
  });

  test.each([1, 1000])("a NUL byte spoils its own line only (%i bytes each)", async (chunkBytes) => {
    expect((await linesOf("good\nb\0d\ngood again\n", chunkBytes)).map(({ text, fault }) => [text, fault])).toEqual([["good", null], ["", "contains a NUL byte"], ["good again", null]]);
  });

  test.each([
    ["little-endian with a mark", Buffer.from("\ufeffname\n", "utf16le")],
    ["big-endian with a mark", Buffer.from("\ufeffname\n", "utf16le").swap16()],
    ["little-endian without one", Buffer.from("name\n", "utf16le")],
    ["big-endian without one", Buffer.from("name\n", "utf16le").swap16()],
  ])("UTF-16 is refused: %s", async (_, bytes) => {
    for (const chunkBytes of [1, 1000]) await expect(linesOf(bytes, chunkBytes)).rejects.toThrow("expected UTF-8, got UTF-16");
  });

  test.each([1 << 16, 1 << 22])("a line that is too long is named, the next one is read (%i bytes each)", async (chunkBytes) => {
    const lines = await linesOf(`a\n${"x".repeat(SERVER_LIMITS.importedLineBytes + 1)}\nb\nc\n`, chunkBytes);
    expect(lines.map((line) => [line.number, line.text, line.fault])).toEqual([
      [1, "a", null],
      [2, "", "longer than 1,048,576 bytes"],
      [3, "b", null],
      [4, "c", null],
    ]);
  });
});
