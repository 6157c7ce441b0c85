import { expect, test } from "vitest";
import {
  bucketLong, bucketShort, range, knownLocales, plural, country, followable, sentence, NOTHING, change, duration, money, number, percent,
} from "../../src/page/format/text.js";
import { csvOf, sheetOf } from "../../src/page/format/sheet.js";

test("numbers are short in sight, and whole for whoever asks", () => {
  expect(number(1_234_567)).toEqual({ short: "1.23M", exact: "1,234,567" });
  expect(number(9_999)).toEqual({ short: "9,999", exact: "9,999" });
  expect(number(0.1234)).toEqual({ short: "0.12", exact: "0.1234" });
  expect(number(-1.5e300).short).toBe("-1.5E300");
  expect([5e-324, 1.25e-7].map((value) => number(value).exact)).toEqual(["5E-324", "1.25E-7"]);
  expect(money(1e21, "EUR").short).toBe("€1E21");
  expect(number(null)).toBe(NOTHING);
  expect(percent(0.1234)).toEqual({ short: "12.3%", exact: "12.34%" });
  expect(money(1_234_567.891, "EUR")).toEqual({ short: "€1.23M", exact: "€1,234,567.89" });
  expect(money(12.5, "JPY").exact).toBe("¥13");
});

test.each([
  [0, "0 s"],
  [4.26, "4.3 s"],
  [59.6, "1 min 0 s"],
  [65, "1 min 5 s"],
  [7_380, "2 h 3 min"],
  [90_000, "1 d 1 h"],
])("%d seconds are %s", (seconds, short) => {
  expect(duration(seconds).short).toBe(short);
});

test("a change is a share of what was, and none of nothing", () => {
  expect(change(120, 100)).toMatchObject({ short: "20%", direction: "up", exact: "20%, was 100" });
  expect(change(50, 100)).toMatchObject({ short: "50%", direction: "down" });
  expect(change(100, 100)).toMatchObject({ direction: "same" });
  expect(change(2_000, 100)?.short).toBe("×20");
  expect([change(5, 0), change(5, -2)]).toEqual([null, null]);
  expect(change(null, 5)).toBeNull();
});

test("buckets are named by what they are", () => {
  const names = (local: string) => [bucketShort({ local }), bucketLong({ local }, "week")];
  expect(names("2026-03-02")).toEqual(["Mar 2", "Week of Mon, Mar 2, 2026"]);
  expect(names("2026-03")).toEqual(["Mar 26", "March 2026"]);
  expect(names("2026-Q1")).toEqual(["2026-Q1", "2026-Q1"]);
  expect(names("2026")).toEqual(["2026", "2026"]);
  expect(names("2026-10-25T02:00+01:00")).toEqual(["02:00", "Sun, Oct 25, 2026, 02:00"]);
  expect(range({ from: null, to: null })).toBe("All time");
});

test("plurals follow the number, and filters are sentences", () => {
  expect([0, 1, 2].map((count) => plural(count, "visit"))).toEqual(["0 visits", "1 visit", "2 visits"]);
  expect(sentence({ field: "location_country", operator: "is", value: "DE" })).toBe("Country is Germany");
  expect(sentence({ field: "location_country", operator: "in", value: "DE, FR" })).toBe("Country is one of Germany, France");
  expect(sentence({ field: "plan", operator: "is_not_set", value: "" })).toBe("plan is not set");
  expect([country(""), country("DE"), country("<b>"), country("Atlantis")]).toEqual(["(not set)", "Germany", "<b>", "Atlantis"]);
});

test("languages that the system names in its own way are passed over", () => {
  expect(knownLocales(["en-US@posix", "de-AT", "C"])).toEqual(["de-AT"]);
  expect(knownLocales([])).toEqual(["en"]);
});

test("only addresses of http are followed", () => {
  const given = [
    "https://a.example/x",
    "HTTP://a.example",
    "javascript:alert(1)",
    "data:text/html,x",
    " https://a.example",
    "//a.example",
    "https://",
    "jAvAsCrIpT://%0aalert(1)",
  ];
  expect(given.map(followable)).toEqual(["https://a.example/x", "http://a.example/", null, null, null, null, null, null]);
});

test("a file has every row, and nothing that a spreadsheet would run", () => {
  expect(
    csvOf({
      columns: ["name", "n"],
      rows: [
        ["a,b", 1],
        ['say "x"', null],
        ["=SUM(A1)", -2],
        ["two\nlines", true],
      ],
    }),
  ).toBe(`name,n\r\n"a,b",1\r\n"say ""x""",\r\n'=SUM(A1),-2\r\n"two\nlines",true\r\n`);
  expect(
    sheetOf([
      { a: 1, b: { c: 2 } },
      { a: null, d: "x" },
    ]),
  ).toEqual({
    columns: ["a", "b", "d"],
    rows: [
      [1, '{"c":2}', null],
      [null, null, "x"],
    ],
  });
});
