import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bundleOf, CLI } from "../program-names.js";
import { daybook, emptyDirectory } from "./run.js";

/** Writes the address of each module to stderr as it is loaded. */
const hook = `import { writeSync } from "node:fs"; export function load(url, context, next) { writeSync(2, "loads " + url + "\\n"); return next(url, context); }`;
const address = (program: string) => `data:text/javascript,${encodeURIComponent(program)}`;
const flags = ["--import", address(`import { register } from "node:module"; register(${JSON.stringify(address(hook))});`)];

/** What a command loads: our own files by name, others by the name of their package. */
async function loadedBy(...args: string[]): Promise<string[]> {
  const { code, stderr } = await daybook(args, { flags });
  expect(code, stderr).toBe(0);
  const urls = [...stderr.matchAll(/^loads (file:.*)$/gm)].map(([, url = ""]) => url);
  return urls.map((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? url.slice(url.lastIndexOf("/") + 1));
}

test("--help and --version load no command.", async () => {
  for (const option of ["--help", "--version"]) {
    const loaded = await loadedBy(option);
    expect(loaded[0]).toBe(`${bundleOf(CLI)}.mjs`);
    // The others are what every command needs: no command, and no package.
    expect(loaded.filter((name) => !name.startsWith("chunk-") && name !== loaded[0])).toEqual([]);
  }
});

test("Neither apache-arrow nor zod is loaded for what has no Arrow, HTTP or tokens.", async () => {
  const directory = await emptyDirectory();
  const [file, data] = [join(directory, "a.ndjson"), join(directory, "data")];
  await writeFile(file, '{"id":"1","name":"a","createdAt":"2026-03-01T08:00:00Z"}\n');
  for (const args of [["import", "--data", data, file], ["verify", "--data", data], ["token", "list", "--data", data]]) {
    const loaded = await loadedBy(...args);
    expect(loaded.filter((name) => name === "apache-arrow" || name === "zod"), args[0]).toEqual([]);
  }
});
