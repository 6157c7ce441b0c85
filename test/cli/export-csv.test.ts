import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { csvLine } from "../../src/cli/commands/export.js";
import { csvOf } from "../../src/page/format/sheet.js";
import { daybookHere } from "./run-here.js";
import { emptyDirectory } from "./run.js";

/** Some spreadsheets drop a NUL. */
const FORMULAS = ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(1)", "＝1+1", "＋1+1", "－2+3", "＠SUM(1)", "－5", "\0=1", "\ta", "\ra", "\na", "=\"a\"", "-", "+", "--5", "-5-5", "+.", "-e5"];
/** Where semicolons, tabs or lines end a cell, one begins within each of these. A quote there opens a cell. */
const WITHIN: readonly (readonly [text: string, guarded: string])[] = [
  ["a;=1+1", "a;'=1+1"], [";@SUM(1);-2+3;", ";'@SUM(1);'-2+3;"], ["a;＝1", "a;'＝1"], ["a\t=1", "a\t'=1"], ["a\r\n=1", "a\r\n'=1"], ["\t=1", "'\t'=1"],
  ['a;"=1"', 'a;"\'=1"'], ['a;""+1-1', 'a;""\'+1-1'], ["-5;=1", "-5;'=1"], ["=1;=1", "'=1;'=1"], ["a;-5;\0=1", "a;-5;'\0=1"],
];
const TEXTS = ["", "1;-5;+4.5", "a;b=1", "a; =1", "a=1", " =1", "'=1", "-5", "+5", "-5.25", "+49301234567", "-.5", "5.", "-1e3", "1-2", "a,b", "a\r\nb"];
const quoted = (text: string) => (/[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** The cell of a user id, between what stands around it. */
function cellOf(userId: string, rawCells: boolean): string {
  const event = { id: "1", createdAt: "2026-03-01T00:00:00.000Z", name: "a", userId, value: -5, metadata: { a: "=1" } };
  const line = (text: string) => csvLine({ ...event, userId: text } as Parameters<typeof csvLine>[0], { withIdentityIds: false, rawCells });
  const [before = "", after = ""] = line("USER").split("USER");
  expect([before, after].join()).toContain(",-5,");
  const own = line(userId);
  expect([own.startsWith(before), own.endsWith(after)]).toEqual([true, true]);
  return own.slice(before.length, -after.length);
}

describe("CSV for spreadsheets", () => {
  test.each(FORMULAS)("has an apostrophe before %j, unless it is for programs", (text) => {
    expect(cellOf(text, false)).toBe(quoted(`'${text}`));
    expect(cellOf(text, true)).toBe(quoted(text));
    expect(csvOf({ columns: ["a"], rows: [[text]] })).toBe(`a\r\n${quoted(`'${text}`)}\r\n`);
  });

  test.each(WITHIN)("has an apostrophe before each formula in %j, wherever cells end", (text, guarded) => {
    expect([cellOf(text, false), cellOf(text, true)]).toEqual([quoted(guarded), quoted(text)]);
    expect(csvOf({ columns: [text], rows: [[text]] })).toBe(`${quoted(guarded)}\r\n${quoted(guarded)}\r\n`);
  });

  test("writes metadata so that no cell within begins a formula, and it is the same JSON", () => {
    const metadata = { "k;=": ["a;=1", "a;－1", 'a;"=1', "a;\t@b", "=1;b", ";", -5] };
    const event = { id: "1", createdAt: "2026-03-01T00:00:00.000Z", name: "a", metadata } as unknown as Parameters<typeof csvLine>[0];
    const fieldOf = (rawCells: boolean) => /"(\{.*\})"\r\n$/.exec(csvLine(event, { withIdentityIds: false, rawCells }))?.[1]?.replaceAll('""', '"') ?? "";
    expect(fieldOf(false)).not.toMatch(/;"*[=+\-@＝＋－＠]/);
    expect(fieldOf(false)).toContain("a;\\u003d1");
    expect([JSON.parse(fieldOf(false)), fieldOf(true)]).toEqual([metadata, JSON.stringify(metadata)]);
  });

  test.each(TEXTS)("leaves %j as it is", (text) => {
    expect([cellOf(text, false), cellOf(text, true)]).toEqual([quoted(text), quoted(text)]);
    expect(csvOf({ columns: ["a"], rows: [[text]] })).toBe(`a\r\n${quoted(text)}\r\n`);
  });

  test("of an export is guarded, and with --raw-cells an import of it loses nothing", async () => {
    const directory = await emptyDirectory();
    const event = (text: string, at: number) => ({ id: `e${at}`, name: text, userId: text, url: text, metadata: { text }, createdAt: "2026-03-01T00:00:00Z" });
    // A line with a NUL is no text to an import.
    const texts = [...FORMULAS, ...WITHIN.map(([text]) => text), ...TEXTS].filter((text) => text !== "" && !text.includes("\0"));
    await writeFile(`${directory}/a.ndjson`, texts.map((text, at) => JSON.stringify(event(text, at))).join("\n"));
    const run = async (...args: string[]) => {
      const { code, stdout, stderr } = await daybookHere(args);
      expect([code, stderr]).toEqual([0, ""]);
      return stdout;
    };
    const exported = async (data: string, name: string, ...args: string[]) => {
      await run("export", "--data", `${directory}/${data}`, "--events-only", "--out", `${directory}/${name}`, ...args);
      return await readFile(`${directory}/${name}`, "utf8");
    };
    await run("import", "--data", `${directory}/data`, `${directory}/a.ndjson`);
    expect(await exported("data", "guarded.csv")).toContain(",'@SUM(1),");
    expect(await exported("data", "raw.csv", "--raw-cells")).toContain(",@SUM(1),");
    await run("import", "--data", `${directory}/copy`, `${directory}/raw.csv`);
    expect(await exported("copy", "copy.ndjson")).toBe(await exported("data", "data.ndjson"));
  });
});
