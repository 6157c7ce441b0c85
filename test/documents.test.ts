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
  const files = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" }).map((path) => path.replaceAll("\\", "/"));
  const folders = readdirSync(join(ROOT, "src"), { withFileTypes: true }).filter((entry) => entry.isDirectory()).map(({ name }) => name);
  /** Everything in it that begins with a folder of the source, or of the tests; `NAME` and `*` stand for any name. */
  const named = [...new Set([...map.matchAll(/(?<![\w/.-])((?:test\/)?[a-z]+)\/[\w./*-]*[\w*/]/g)].flatMap(([path, top = ""]) => (folders.includes(top) || top.startsWith("test") ? [path] : [])))];

  const isThere = (path: string): boolean => {
    const pattern = path.split(/\*|NAME/).map((part) => part.replaceAll(/[.[\]\\^$+?(){}|]/g, "\\$&")).join("[^/]*");
    const tree = path.startsWith("test/") ? readdirSync(join(ROOT, "test"), { recursive: true, encoding: "utf8" }).map((each) => `test/${each.replaceAll("\\", "/")}`) : files;
    const whole = new RegExp(`^${pattern.replace(/\/$/, "")}(\\.m?ts)?$`);
    return tree.some((each) => whole.test(each));
  };

  test("names files and folders that are there", () => {
    expect(named.length).toBeGreaterThan(100);
    expect(named).toEqual(expect.arrayContaining(["engine/ingest/queue", "store/verify/verify-*.ts", "store/live/store", "test/architecture.test.ts"]));
    expect(named.filter((path) => !isThere(path))).toEqual([]);
  });

  test("names every folder of the source", () => {
    expect(folders.filter((folder) => !map.includes(`\`${folder}\``) && !named.some((path) => path.startsWith(`${folder}/`)))).toEqual([]);
  });
});
