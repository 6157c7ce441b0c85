import { readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { longTest } from "../long-test.js";
import { bundleOf, CLI } from "../program-names.js";
import { daybook, emptyDirectory } from "./run.js";

/** Writes the address of each module to stderr as it is loaded. */
const hook = `import { writeSync } from "node:fs"; export function load(url, context, next) { writeSync(2, "loads " + url + "\\n"); return next(url, context); }`;
const address = (program: string) => `data:text/javascript,${encodeURIComponent(program)}`;
const flags = ["--import", address(`import { register } from "node:module"; register(${JSON.stringify(address(hook))});`)];

/** What a command loads: names of our own files, and of the packages whose code is bundled in them. */
async function loadedBy(...args: string[]): Promise<{ readonly files: string[]; readonly packages: Set<string> }> {
  const { code, stderr } = await daybook(args, { flags });
  expect(code, stderr).toBe(0);
  const urls = [...stderr.matchAll(/^loads (file:.*)$/gm)].map(([, url = ""]) => new URL(url));
  const texts = await Promise.all(urls.map((url) => readFile(url, "utf8")));
  const packages = texts.flatMap((text) => Array.from(text.matchAll(/^\/\/ (?:\.\.\/\w+\/)?node_modules\/((?:@[^/]+\/)?[^/]+)/gm), ([, name = ""]) => name));
  return { files: urls.map(({ pathname }) => basename(pathname)), packages: new Set(packages) };
}

test("--help and --version load no command.", async () => {
  for (const option of ["--help", "--version"]) {
    const { files, packages } = await loadedBy(option);
    expect(files[0]).toBe(`${bundleOf(CLI)}.mjs`);
    // The others are what every command needs: no command, and no package.
    expect([files.filter((name) => !name.startsWith("chunk-") && name !== files[0]), [...packages]]).toEqual([[], []]);
  }
});

longTest("Neither apache-arrow, hyparquet nor zod is loaded for what has no Arrow, Parquet, HTTP or tokens.", async () => {
  const directory = await emptyDirectory();
  const [file, data] = [join(directory, "a.ndjson"), join(directory, "data")];
  await writeFile(file, '{"id":"1","name":"a","createdAt":"2026-03-01T08:00:00Z"}\n');
  for (const args of [["import", "--data", data, file], ["verify", "--data", data], ["token", "list", "--data", data]]) {
    const { packages } = await loadedBy(...args);
    expect(["apache-arrow", "hyparquet", "hyparquet-writer", "zod"].filter((name) => packages.has(name)), args[0]).toEqual([]);
  }
  const arrow = await loadedBy("export", "--data", data, "--format", "arrow");
  const parquet = await loadedBy("export", "--data", data, "--out", join(directory, "a.parquet"));
  const tokens = await loadedBy("token", "create", "--data", data, "--role", "owner", "--scopes", "*");
  expect([arrow.packages.has("apache-arrow"), arrow.packages.has("hyparquet"), tokens.packages.has("zod")]).toEqual([true, false, true]);
  expect([parquet.packages.has("apache-arrow"), parquet.packages.has("hyparquet-writer")]).toEqual([false, true]);
});
