import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readCsvEvents, checkCsvMap, readCsvMap, type CsvMap } from "../../../src/cli/read/csv.js";
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
      userId: "7",
      createdAt: Date.UTC(2026, 2, 1),
      value: 2.5,
      notify: true,
      metadata: { a: 1, plan: "pro" },
    });
  });

  test("empty cells are not set, and epoch milliseconds are a time", async () => {
    expect(await firstOf("id,name,timestamp,url,plan\nx,a,86400000,,\n")).toEqual({ id: "x", name: "a", createdAt: 86_400_000, metadata: {} });
  });

  test.each([
    ["too few fields", "id,name,time\nx\n", "expected 3 fields as in the header, got 1"],
    ["a number that is none", "name,time,value\na,5,much\n", 'value: expected a number, got "much"'],
    ["an impossible time", "name,createdAt\na,2026-02-30T00:00:00Z\n", 'createdAt: expected an RFC 3339 time or epoch ms, got "2026-02-30T00:00:00Z"'],
    ["an empty time, which would be now", "name,createdAt\na,\n", "createdAt: expected a time, got none"],
    ["metadata that is no JSON", "name,time,metadata\na,5,{x\n", 'metadata: expected JSON, got "{x"'],
  ])("rejects %s", async (_, text, reason) => {
    expect(await firstOf(text)).toBe(reason);
  });

  test("metadata that is no object stays as it is, for the engine to name", async () => {
    expect(await firstOf("id,name,createdAt,metadata,plan\nx,a,5,7,pro\n")).toEqual({ id: "x", name: "a", createdAt: 5, metadata: 7 });
  });

  test.each([
    ["name,UserId,Created_At,URL", { name: "a", userId: "b", createdAt: 5, url: "d", metadata: {} }],
    ["Event Name , USER-ID,created at,location.country", { name: "a", userId: "b", createdAt: 5, locationCountry: "d", metadata: {} }],
    ["event,distinct_id,timestamp,Referer", { name: "a", userId: "b", createdAt: 5, referrer: "d", metadata: {} }],
    ["event,user,Created,Company ID", { name: "a", userId: "b", createdAt: 5, companyId: "d", metadata: {} }],
    ["\ufeffname,anonymous_id,createdAt, Plan Name ", { name: "a", anonymousId: "b", createdAt: 5, metadata: { "Plan Name": "d" } }],
    ["name,metadata.game,createdAt,Metadata.user", { name: "a", createdAt: 5, metadata: { game: "b", user: "d" } }],
  ])("the header %s is matched by name, case, blanks and separators apart", async (header, event) => {
    expect(await firstOf(`${header}\na,b,5,d\n`)).toEqual({ ...event, id: expect.any(String) as string });
  });

  test.each([
    ["no name", "a,createdAt", /^no column for the name of an event, and no --map: expected a column named name or event, got "a", "createdAt"$/],
    ["no time", "name,b", /^no column for the time of an event, and no --map: expected a column named createdAt, timestamp or time, got "name", "b"$/],
    ["an empty column", "name,,time", /^column 2 has no name$/],
    ["a column twice", "name,time,b, b", /^the columns "b" and " b" both fill metadata\.b: keep one, or rename the other to metadata\.NAME$/],
    ["two columns for one member", "name,time,user_id,User", /^the columns "user_id" and "User" both fill userId: /],
    ["a letter too few", "name,time,usrid", /^the column "usrid" looks like userId: rename it to that, or to metadata\.usrid for a metadata key$/],
    ["a letter too many", "name,time,Users", /^the column "Users" looks like userId: /],
    ["another letter", "name,time,uri", /^the column "uri" looks like url: /],
    ["letters changed round", "nmae,time,b", /^the column "nmae" looks like name: /],
    ["line ends of two kinds", "name,time\ra,5\rb,5", /^line 1, the header: a carriage return /],
    ["a quote in the header", 'na"me,time', /^line 1, the header: field 1: a quote inside/],
  ])("a header with %s is refused", async (_, header, message) => {
    await expect(read(`${header}\n1,2,3\n`)).rejects.toThrow(message);
  });

  test("a column that looks like a member which another column fills is a key", async () => {
    const header = "times,names,users,urls";
    const event = await firstOf(`name,time,user,url,${header}\na,5,ann,/,1,2,3,4\n`);
    expect(event).toMatchObject({ userId: "ann", metadata: { times: "1", names: "2", users: "3", urls: "4" } });
  });

  test("columns that are no members and not nearly any become metadata", async () => {
    const header = "plan,price,game,title,type,created_by,date,category,session_id,event_date,username,country";
    const event = await firstOf(`name,time,${header}\na,5${",x".repeat(12)}\n`);
    expect(Object.keys((event as { metadata: object }).metadata)).toEqual(header.split(","));
  });

  test("a column called __proto__ is a metadata key like any other", async () => {
    expect(JSON.stringify(await firstOf("id,name,time,__proto__\nx,a,5,evil\n"))).toBe('{"id":"x","name":"a","createdAt":5,"metadata":{"__proto__":"evil"}}');
  });

  test("lines may all end with carriage returns alone", async () => {
    expect(await read("name,userId,createdAt\rsignup,u1,5\rsignup,u2,6\r")).toMatchObject([{ line: 2, event: { userId: "u1" } }, { line: 3, event: { userId: "u2", createdAt: 6 } }]);
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

  test("an empty time is rejected, an empty header that the map does not name is let be", async () => {
    const timed = checkCsvMap({ event: { name: { column: "n" }, createdAt: { column: "t", as: "time" } } });
    expect(await read("n,,t\na,,\na,,5\n", timed)).toMatchObject([{ line: 2, reason: "createdAt: expected a time, got none" }, { line: 3, event: { createdAt: 5 } }]);
  });

  test("integers beyond 2^53 keep their digits, as integers, numbers, JSON and constants", async () => {
    const path = join(await mkdtemp(join(tmpdir(), "daybook-map-")), "map.json");
    await writeFile(path, `{"event":{"name":{"constant":"e"},"userId":{"column":"i","as":"integer"},"companyId":{"constant":9007199254740993},"externalId":{"column":"j","as":"json"}},
      "metadata":{"i":{"column":"i","as":"integer"},"n":{"column":"n","as":"number"},"j":{"column":"j","as":"json"},"l":{"column":"l","lookup":{"a":9007199254740995}}}}`);
    const numbered = await readCsvMap(path);
    expect(await firstOf("i,n,j,l\n9007199254740993,+9007199254740993,9007199254740993,a\n", numbered)).toMatchObject({
      userId: "9007199254740993", companyId: "9007199254740993", externalId: "9007199254740993",
      metadata: { i: "9007199254740993", n: "9007199254740993", j: "9007199254740993", l: "9007199254740995" },
    });
    expect(await firstOf("i,n,j,l\n9007199254740992,9007199254740992,9007199254740992,a\n", numbered)).toMatchObject({
      userId: "9007199254740992", externalId: "9007199254740992", metadata: { i: "9007199254740992", n: 2 ** 53, j: 2 ** 53 },
    });
    expect(await firstOf("i,n,j,l\n-7,007,7.0,a\n", numbered)).toMatchObject({ userId: -7, metadata: { i: -7, n: 7, j: 7 } });
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
    ["an unknown member", { event: {}, colums: [] }, 'the map: unknown member "colums", expected set, columns, delimiter, event, metadata'],
    ["an unknown event member", { event: { nmae: { column: "a" } } }, 'event.nmae: not a member of an event (metadata keys go under "metadata")'],
    ["no name", { event: {} }, 'event.name: expected a source, for instance { "constant": "purchase" }'],
    ["two origins", { event: { name: { column: "a", constant: "b" } } }, 'event.name: expected exactly one of "column", "template", "constant", got {"column":"a","constant":"b"}'],
    ["an unknown type", { event: { name: { column: "a", as: "date" } } }, 'event.name.as: expected text, integer, number, boolean, json, time, got "date"'],
    ["a format without a time", { event: { name: { column: "a", format: "YYYY" } } }, 'event.name.format: expected "as": "time" with it, got undefined'],
    ["a delimiter of two", { event: { name: { column: "a" } }, delimiter: "||" }, 'delimiter: expected one character other than a quote or a line break, got "||"'],
    ["a list", [], "the map: expected a JSON object, got []"],
  ])("a map with %s is refused", (_, wrong, message) => {
    expect(() => checkCsvMap(wrong)).toThrow(message);
  });
});
