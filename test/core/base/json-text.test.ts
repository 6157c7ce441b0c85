import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { digitsOf, parseJsonText } from "../../../src/core/base/json-text.js";
import { baseSeed, caseCount } from "../../oracle/settings.js";

/** What JSON.parse makes of a text, or the message of its error. */
function outcomeOf(parse: (text: string) => unknown, text: string): unknown {
  try {
    return { value: parse(text) };
  } catch (error) {
    return `${(error as Error).name}: ${(error as Error).message}`;
  }
}

describe("an integer in JSON text", () => {
  it.each([
    ["9007199254740991", 9007199254740991],
    ["9007199254740992", 9007199254740992],
    ["9007199254740993", "9007199254740993"],
    ["9007199254740994", 9007199254740994],
    ["-9007199254740993", "-9007199254740993"],
    ["1234567890123456789", "1234567890123456789"],
    // The double is 1234567890123456768, printed as 1234567890123456800: the one literal comes back, the other does not.
    ["1234567890123456768", "1234567890123456768"],
    ["1234567890123456800", 1234567890123456800],
    ["18446744073709551615", "18446744073709551615"],
    ["10000000000000000000000", "10000000000000000000000"],
    ["1e22", 1e22],
    ["0", 0],
    ["-0", -0],
  ])("%s is %j", (text, value) => {
    expect(parseJsonText(text)).toBe(value);
    expect(parseJsonText(` [ ${text} ] `)).toEqual([value]);
    expect(parseJsonText(`{"a":${text},"b" :\n${text}\n}`)).toEqual({ a: value, b: value });
    expect(parseJsonText(`[${text},${text}]`)).toEqual([value, value]);
  });

  it("of hundreds of digits keeps them all", () => {
    const digits = "123456789".repeat(60);
    expect(parseJsonText(`{"a":${digits}}`)).toEqual({ a: digits });
  });

  it("stays what it is in strings, names, fractions and exponents", () => {
    const text = String.raw`{"9007199254740993":"9007199254740993","a":"\"9007199254740993","b":"x: 9007199254740993, ","c":0.9007199254740993123,"d":9007199254740993.5,"e":9007199254740993e3}`;
    expect(parseJsonText(text)).toEqual(JSON.parse(text));
  });

  it.each([
    "{9007199254740993:1}", "{ 9007199254740993 : 1 }", '{"a":1,9007199254740993\n:2}', "09007199254740993", "[-09007199254740993]", "+9007199254740993",
    "--9007199254740993", "[9007199254740993 9007199254740993]", "9007199254740993n", '{"a":9007199254740993,"b":}', '["9007199254740993', "9007199254740993.",
    '[9007199254740993,"a\nb"]', "[9007199254740993,]", "9007199254740993 x", '"9007199254740993"9007199254740993', "[9007199254740993,nul]",
  ])("in malformed text is the error that JSON.parse has: %s", (text) => {
    expect(outcomeOf(parseJsonText, text)).toBe(outcomeOf(JSON.parse, text));
    expect(outcomeOf(JSON.parse, text)).toMatch(/^SyntaxError/);
  });
});

test("of random JSON every integer is kept exactly, or as its digits, and everything else is as JSON.parse has it", () => {
  const integer = fc.oneof(
    fc.bigInt(-(10n ** 25n), 10n ** 25n),
    fc.bigInt(2n ** 53n - 9n, 2n ** 53n + 9n),
    fc.bigInt(0n, 2n ** 64n),
    fc.integer().map(BigInt),
  );
  const blank = fc.constantFrom("", " ", "\n", "\t ", "\r\n");
  const words = fc.oneof(fc.string(), fc.stringMatching(/^[0-9"\\:, ]{0,40}$/), fc.constant("9007199254740993"));
  interface Written { readonly text: string; readonly value: unknown }
  const { written } = fc.letrec<{ written: Written }>((tie) => ({
    written: fc.oneof(
      { maxDepth: 4, depthSize: "small" },
      integer.map((value): Written => ({ text: String(value), value })),
      words.map((value): Written => ({ text: JSON.stringify(value), value })),
      fc.constantFrom<Written>({ text: "null", value: null }, { text: "true", value: true }, { text: "1.5e3", value: 1500 }, { text: "0.1234567890123456789", value: Number("0.1234567890123456789") }),
      fc.tuple(fc.array(tie("written") as fc.Arbitrary<Written>, { maxLength: 4 }), blank).map(([items, space]): Written => ({
        text: `[${space}${items.map(({ text }) => text).join(`${space},${space}`)}${space}]`,
        value: items.map(({ value }) => value),
      })),
      fc.tuple(fc.dictionary(words, tie("written") as fc.Arbitrary<Written>, { maxKeys: 4 }), blank).map(([members, space]): Written => ({
        text: `{${Object.entries(members).map(([name, { text }]) => `${space}${JSON.stringify(name)}${space}:${space}${text}`).join(",")}${space}}`,
        value: Object.fromEntries(Object.entries(members).map(([name, { value }]) => [name, value])),
      })),
    ),
  }));
  fc.assert(
    fc.property(written, blank, ({ text, value }, space) => {
      const expected = (each: unknown): unknown => {
        if (typeof each === "bigint") return String(Number(each)) === String(each) ? Number(each) : String(each);
        if (Array.isArray(each)) return each.map(expected);
        return typeof each === "object" && each !== null ? Object.fromEntries(Object.entries(each).map(([name, member]) => [name, expected(member)])) : each;
      };
      expect(parseJsonText(`${space}${text}${space}`)).toEqual(expected(value));
      // What a double is printed as is that double again.
      const plain: unknown = JSON.parse(text);
      expect(parseJsonText(JSON.stringify(plain))).toEqual(plain);
    }),
    { seed: baseSeed, numRuns: caseCount(300, 20_000) },
  );
});

test("of random characters that are mostly no JSON the outcome is that of JSON.parse, integers beyond 2^53 aside", () => {
  const piece = fc.constantFrom("9007199254740993", "1234567890123456789", "12", "-", "0", ".", "e", '"', "\\", "{", "}", "[", "]", ":", ",", " ", "\n", "a", "true");
  const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
  const asNumbers = (outcome: unknown) => JSON.stringify(outcome, (_, value: unknown) => (typeof value === "string" && /^-?\d{16,}$/.test(value) ? Number(value) : value));
  fc.assert(
    fc.property(text, (each) => {
      expect(asNumbers(outcomeOf(parseJsonText, each))).toBe(asNumbers(outcomeOf(JSON.parse, each)));
    }),
    { seed: baseSeed, numRuns: caseCount(2_000, 200_000) },
  );
});

// What takes quadratic time is not done before the test times out.
test.each([
  ["digits", (size: number) => `[${"1".repeat(size)}]`],
  ["integers beyond 2^53", (size: number) => `[${"9007199254740993,".repeat(size / 17)}1]`],
  ["digits in a string", (size: number) => `["${"1".repeat(size)}"]`],
  ["strings of digits", (size: number) => `[${'"9007199254740993",'.repeat(size / 19)}1]`],
  ["blanks after an integer", (size: number) => `[9007199254740993${" ".repeat(size)}]`],
  ["backslashes", (size: number) => `[9007199254740993,"${"\\\\".repeat(size / 2)}"]`],
  ["runs of 15 digits", (size: number) => `[${"123456789012345,".repeat(size / 16)}1]`],
])("8 MB of %s take linear time", (_, textOf) => {
  expect(Array.isArray(parseJsonText(textOf(2 ** 23)))).toBe(true);
});

test.each([
  [7, "7"], [-5, "-5"], [-0, "0"], [1.5, "1.5"], [1e-7, "1e-7"], [2 ** 53, "9007199254740992"], [1e21, "1000000000000000000000"],
  [1e22, "10000000000000000000000"], [-1.25e25, "-12500000000000000000000000"], [Number.MAX_VALUE, `17976931348623157${"0".repeat(292)}`],
])("the digits of %d are %s", (number, digits) => {
  expect(digitsOf(number)).toBe(digits);
});
