import { describe, expect, test } from "vitest";
import { LINE_BYTES_MAX, readLines, type Line } from "../../../src/cli/read/lines.js";
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

  test.each([1 << 16, 1 << 22])("a line that is too long is named, the next one is read (%i bytes each)", async (chunkBytes) => {
    const lines = await linesOf(`a\n${"x".repeat(LINE_BYTES_MAX + 1)}\nb\nc\n`, chunkBytes);
    expect(lines.map((line) => [line.number, line.text, line.fault])).toEqual([
      [1, "a", null],
      [2, "", "longer than 1,048,576 bytes"],
      [3, "b", null],
      [4, "c", null],
    ]);
  });
});
