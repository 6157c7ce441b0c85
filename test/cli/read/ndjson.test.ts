import { describe, expect, test } from "vitest";
import { readNdjson } from "../../../src/cli/read/lines.js";
import { chunksOf, rowsOf } from "./source.js";

const read = (text: string, set = "s") => rowsOf(readNdjson(chunksOf(text, 5), set));

describe("readNdjson", () => {
  test("passes events on as they are, with their own ids", async () => {
    expect(await read('{"id":"one","name":"a"}\r\n\n{"id":"two","name":"b","metadata":{"k":[1]}}')).toEqual([
      { line: 1, event: { id: "one", name: "a" } },
      { line: 3, event: { id: "two", name: "b", metadata: { k: [1] } } },
    ]);
  });

  test("gives an event without an id the same one on every import", async () => {
    const idsOf = async (text: string, set?: string) => (await read(text, set)).map((row) => ("event" in row ? row.event.id : null));
    const [first, second] = await idsOf('{"name":"a"}\n{"name":"a"}\n');
    expect(first).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(second).not.toBe(first);
    expect(await idsOf('{"name":"a"}\n')).toEqual([first]);
    expect(await idsOf('{"name":"a"}\n', "other")).not.toEqual([first]);
    expect(await idsOf('{"name":"b"}\n')).not.toEqual([first]);
  });

  test.each([
    ["no JSON", "{name:1}", 'expected a JSON object, got text that is not JSON: "{name:1}"'],
    ["an array", "[1]", "expected a JSON object, got [1]"],
    ["a number", "7", "expected a JSON object, got 7"],
    ["null", "null", "expected a JSON object, got null"],
  ])("rejects %s by its line", async (_, text, reason) => {
    expect(await read(`{"id":"x","name":"a"}\n${text}\n`)).toEqual([
      { line: 1, event: { id: "x", name: "a" } },
      { line: 2, reason },
    ]);
  });

  test("keeps a member called __proto__ a member", async () => {
    const [row] = await read('{"name":"a","metadata":{"__proto__":{"x":1}}}');
    expect(JSON.stringify(row)).toContain('"__proto__":{"x":1}');
  });
});
