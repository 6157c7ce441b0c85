import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PAGE_FILES, pageFiles } from "../../build/page-files.js";

const BUDGET_BYTES = 120_000;
let directory: string;
const texts = new Map<string, string>();

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "daybook-page-"));
  await pageFiles(directory);
  for (const name of await readdir(directory)) texts.set(name, await readFile(join(directory, name), "utf8"));
});

afterAll(() => rm(directory, { recursive: true, force: true }));

test("the page is three files, and no more than 120 kB on the way", () => {
  expect([...texts.keys()].sort()).toEqual([...PAGE_FILES].sort());
  const byteLength = [...texts.values()].reduce((sum, text) => sum + gzipSync(text).length, 0);
  expect(byteLength).toBeGreaterThan(10_000);
  expect(byteLength).toBeLessThan(BUDGET_BYTES);
});

test("its HTML holds no script, no style and no other host", () => {
  const html = texts.get("index.html") ?? "";
  expect(html).toContain('<html lang="en">');
  expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/i);
  expect([...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = ""]) => address.slice(0, 8))).toEqual(["data:ima", "page.css", "page.js"]);
});

test("its script and its styles ask no other host, and evaluate nothing", () => {
  const [script = "", style = ""] = [texts.get("page.js"), texts.get("page.css")];
  expect(style).not.toMatch(/url\(|@import/);
  expect(script).not.toMatch(/\beval\(|new Function\(|innerHTML\s*=(?!=)(?!.{0,20}__html)|document\.write/);
  expect([...script.matchAll(/https?:\/\/[\w.-]+/g)].map(([host]) => host).filter((host) => !host.startsWith("http://www.w3.org"))).toEqual([]);
});
