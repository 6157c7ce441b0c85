import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "./cli/run.js";
import { pagesBelow } from "./pages.js";

const LINE_CHARS = 150;
/** A row of a table is one line. What cannot be cut in it are names: of these it may have a few too many, but no words. */
const ROW_CHARS = 175;
const isRow = (line: string) => /^\s*\|.*\|$/.test(line);
const wordsOf = (row: string) => row.replaceAll(/`[^`]*`/g, "").replaceAll(/\]\([^)]*\)/g, "]");
/** Cannot be cut: a word without a blank, such as an address. */
const isWhole = (line: string) => !line.trim().replace(/^([-*+]|\d+\.) /, "").includes(" ");
const isLong = (line: string) => (isRow(line) ? line.length > ROW_CHARS || wordsOf(line).length > LINE_CHARS : line.length > LINE_CHARS && !isWhole(line));

const pages = pagesBelow("");
const textOf = (path: string) => readFileSync(join(ROOT, path), "utf8");

describe("a document", () => {
  test.each(pages)("%s has lines of at most 150 characters, and rows of tables with names of few more", (page) => {
    const long = textOf(page).split("\n").flatMap((line, at) => (isLong(line) ? [`${page}:${at + 1}: ${line.length} characters`] : []));
    expect(long).toEqual([]);
  });

  test("that is read first is short", () => {
    const readme = textOf("README.md");
    expect(readme.split(/\s+/).length).toBeLessThanOrEqual(1_000);
    expect(readme.split("\n").length).toBeLessThanOrEqual(150);
  });

  test("is one of several", () => {
    expect(pages).toEqual(expect.arrayContaining(["CHANGELOG.md", "bench/README.md", "docs/reference/http.md", "examples/data/README.md", "src/README.md"]));
  });
});

describe("the map of the source", () => {
  const map = textOf("src/README.md");
  const tree = ["src", "test", "build", "examples", "docs"].flatMap((top) =>
    readdirSync(join(ROOT, top), { recursive: true, encoding: "utf8" }).map((path) => `${top}/${path.replaceAll("\\", "/")}`));
  const maps = tree.filter((path) => /^src\/.*README\.md$/.test(path));
  const folderOf = (page: string) => page.replace(/(?:^src)?\/?README\.md$/, "").replace(/^src\//, "");
  /** The paths that a page of the source names, in code or in a journey; `NAME` and `*` stand for any name. */
  const namedIn = (page: string) => [...textOf(page).matchAll(/(?<![\w/.[(-])(?:[a-z][\w-]*\/[\w./*-]*[\w*/]|[\w-]+\.tsx?)(?![\w(])/g)].map(([path]) => path);
  const isThere = (folder: string, path: string): boolean => {
    const pattern = path.split(/\*|NAME/).map((part) => part.replaceAll(/[.[\]\\^$+?(){}|]/g, "\\$&")).join("[^/]*").replace(/\/$/, "");
    const whole = new RegExp(`^(?:src/${folder}/|src/|)${pattern}(?:\\.m?tsx?)?$`);
    return tree.some((each) => whole.test(each));
  };

  test.each(["src/README.md", ...maps.filter((page) => page !== "src/README.md")])("names files and folders that are there: %s", (page) => {
    expect(namedIn(page).filter((path) => !isThere(folderOf(page), path))).toEqual([]);
  });

  test("names many of them", () => {
    expect(namedIn("src/README.md")).toEqual(expect.arrayContaining(["engine/ingest/queue", "store/live/store", "test/architecture.test.ts"]));
    expect(maps.flatMap(namedIn).length).toBeGreaterThan(200);
    expect(isThere("store", "live/shop.ts")).toBe(false);
  });

  test("has a row for every folder with a page, of at most 30 lines, and every file lies in one", () => {
    const folders = maps.map(folderOf).filter((folder) => folder !== "");
    expect(folders.length).toBeGreaterThan(20);
    expect(folders.filter((folder) => !new RegExp(`^\\| .*\`${folder}\``, "m").test(map))).toEqual([]);
    expect(folders.filter((folder) => textOf(`src/${folder}/README.md`).trimEnd().split("\n").length > 30)).toEqual([]);
    const outside = tree.filter((path) => /^src\/.*\.m?tsx?$/.test(path) && !folders.some((folder) => path.startsWith(`src/${folder}/`)));
    expect(outside).toEqual(["src/index.ts"]);
  });

  test("shows each journey in at most ten steps", () => {
    const journeys = [...map.matchAll(/^```\n([^]*?)^```/gm)].map(([, text = ""]) => text.split("\n").filter((line) => /^\d+ /.test(line)).length);
    expect(journeys).toHaveLength(3);
    expect(journeys.filter((count) => count > 10)).toEqual([]);
  });
});
