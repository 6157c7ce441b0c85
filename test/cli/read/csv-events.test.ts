import { describe, expect, test } from "vitest";
import { readCsvEvents } from "../../../src/cli/read/csv-events.js";
import { checkCsvMap, type CsvMap } from "../../../src/cli/read/csv-map.js";
import { chunksOf, rowsOf } from "./source.js";

const read = (text: string, map: CsvMap | null = null) => rowsOf(readCsvEvents(chunksOf(text, 16), "file", map));

async function firstOf(text: string, map: CsvMap | null = null): Promise<unknown> {
  const [row] = await read(text, map);
  return row !== undefined && "event" in row ? row.event : row?.reason;
}

describe("CSV without a map", () => {
  test("columns named like event members fill them, others become metadata", async () => {
    const text = 'id,name,user_id,createdAt,value,notify,plan,metadata\nx,pay,7,2026-03-01T00:00:00Z,2.5,true,pro,"{""a"":1}"\n';
    expect(await firstOf(text)).toEqual({
      id: "x",
      name: "pay",
      user_id: "7",
      createdAt: Date.UTC(2026, 2, 1),
      value: 2.5,
      notify: true,
      metadata: { a: 1, plan: "pro" },
    });
  });

  test("empty cells are not set, and epoch milliseconds are a time", async () => {
    expect(await firstOf("id,name,timestamp,url,plan\nx,a,86400000,,\n")).toEqual({ id: "x", name: "a", timestamp: 86_400_000, metadata: {} });
  });

  test.each([
    ["too few fields", "id,name\nx\n", "expected 2 fields as in the header, got 1"],
    ["a number that is none", "name,value\na,much\n", 'value: expected a number, got "much"'],
    ["an impossible time", "name,createdAt\na,2026-02-30T00:00:00Z\n", 'createdAt: expected an RFC 3339 time or epoch ms, got "2026-02-30T00:00:00Z"'],
    ["metadata that is no JSON", "name,metadata\na,{x\n", 'metadata: expected JSON, got "{x"'],
  ])("rejects %s", async (_, text, reason) => {
    expect(await firstOf(text)).toBe(reason);
  });

  test("metadata that is no object stays as it is, for the engine to name", async () => {
    expect(await firstOf("id,name,metadata,plan\nx,a,7,pro\n")).toEqual({ id: "x", name: "a", metadata: 7 });
  });

  test("a header without a name is an error that says what to do", async () => {
    await expect(read("a,b\n1,2\n")).rejects.toThrow(/no column "name".*--map/);
  });

  test("a header that names a column twice is an error", async () => {
    await expect(read("name,b,b\n1,2,3\n")).rejects.toThrow('the header names the column "b" twice');
  });

  test("a column called __proto__ is a metadata key like any other", async () => {
    expect(JSON.stringify(await firstOf("id,name,__proto__\nx,a,evil\n"))).toBe('{"id":"x","name":"a","metadata":{"__proto__":"evil"}}');
  });
});

describe("CSV with a map", () => {
  const map = checkCsvMap({
    set: "orders",
    delimiter: ";",
    columns: ["no", "who", "when", "what", "state", "price"],
    event: {
      id: { template: "order {no}" },
      name: { column: "state", lookup: { paid: "purchase", back: "refund" } },
      userId: { column: "who", as: "integer" },
      createdAt: { column: "when", as: "time", format: "DD.MM.YYYY HH:mm" },
      url: { template: "/p/{what}", encode: "url" },
    },
    metadata: { price: { column: "price", as: "number" }, currency: { constant: "EUR" } },
  });

  test("constants, templates, lookups, numbers and times make an event", async () => {
    expect(await firstOf("12;17850.0;01.03.2026 10:30;a b/ü;back;-1.5\n", map)).toEqual({
      id: "order 12",
      name: "refund",
      userId: 17850,
      createdAt: Date.UTC(2026, 2, 1, 10, 30),
      url: "/p/a%20b%2F%C3%BC",
      metadata: { price: -1.5, currency: "EUR" },
    });
  });

  test.each([
    ["a cell outside the lookup", "12;1;01.03.2026 10:30;a;lost;1\n", 'name: "lost" is not in the lookup and there is no "otherwise"'],
    ["a fraction for an integer", "12;1.5;01.03.2026 10:30;a;paid;1\n", 'userId: expected a whole number, got "1.5"'],
    ["a time of another shape", "12;1;2026-03-01;a;paid;1\n", 'createdAt: expected a time like DD.MM.YYYY HH:mm, got "2026-03-01"'],
    ["a day that does not exist", "12;1;30.02.2026 10:30;a;paid;1\n", 'createdAt: expected a time like DD.MM.YYYY HH:mm, got "30.02.2026 10:30"'],
    ["hexadecimal for a number", "12;1;01.03.2026 10:30;a;paid;0x10\n", 'metadata.price: expected a number, got "0x10"'],
  ])("rejects %s", async (_, text, reason) => {
    expect(await firstOf(text, map)).toBe(reason);
  });

  test("a cell that is not listed takes the other value where there is one", async () => {
    const other = checkCsvMap({ event: { name: { column: "n", lookup: { a: "x" }, otherwise: "rest" } } });
    expect(await firstOf("n\nzzz\n", other)).toMatchObject({ name: "rest" });
  });

  test("a column that the file does not have is an error before any row", async () => {
    const wrong = checkCsvMap({ event: { name: { column: "title" } } });
    await expect(read("a,b\n1,2\n", wrong)).rejects.toThrow('name: the file has no column "title", it has "a", "b"');
  });

  test.each<[title: string, map: unknown, message: string]>([
    ["an unknown member", { event: {}, colums: [] }, 'the map: "colums" is not known here, expected set, columns, delimiter, event, metadata'],
    ["an unknown event member", { event: { nmae: { column: "a" } } }, 'event.nmae: not a member of an event (metadata keys go under "metadata")'],
    ["no name", { event: {} }, 'event.name: expected a source, for instance { "constant": "purchase" }'],
    ["two origins", { event: { name: { column: "a", constant: "b" } } }, 'event.name: expected exactly one of "column", "template", "constant", got {"column":"a","constant":"b"}'],
    ["an unknown type", { event: { name: { column: "a", as: "date" } } }, 'event.name.as: expected text, integer, number, boolean, json, time, got "date"'],
    ["a format without a time", { event: { name: { column: "a", format: "YYYY" } } }, 'event.name.format: expected "as": "time" beside it, got undefined'],
    ["a delimiter of two", { event: { name: { column: "a" } }, delimiter: "||" }, 'delimiter: expected one character that is no quote and no line break, got "||"'],
    ["a list", [], "the map: expected a JSON object, got []"],
  ])("a map with %s is refused", (_, wrong, message) => {
    expect(() => checkCsvMap(wrong)).toThrow(message);
  });
});
