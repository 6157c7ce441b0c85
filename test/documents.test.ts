import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "./cli/run.js";

const LINE_CHARS = 150;
/** Cannot be cut: a row of a table is one line, and so is a word without a blank, such as an address. */
const isWhole = (line: string) => /^\s*\|.*\|$/.test(line) || !line.trim().replace(/^([-*+]|\d+\.) /, "").includes(" ");

const pages = ["README.md", "src/README.md", ...readdirSync(join(ROOT, "docs")).filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`)];
const textOf = (path: string) => readFileSync(join(ROOT, path), "utf8");

describe("a document", () => {
  test.each(pages)("%s has lines of at most 150 characters, rows of tables apart", (page) => {
    const long = textOf(page).split("\n").flatMap((line, at) => (line.length > LINE_CHARS && !isWhole(line) ? [`${page}:${at + 1}: ${line.length} characters`] : []));
    expect(long).toEqual([]);
  });

  test("is one of several", () => {
    expect(pages.length).toBeGreaterThan(8);
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
    expect(named).toEqual(expect.arrayContaining(["engine/ingest-queue", "store/verify/verify-*.ts", "store/live/store", "test/architecture.test.ts"]));
    expect(named.filter((path) => !isThere(path))).toEqual([]);
  });

  test("names every folder of the source", () => {
    expect(folders.filter((folder) => !map.includes(`\`${folder}\``) && !named.some((path) => path.startsWith(`${folder}/`)))).toEqual([]);
  });
});
