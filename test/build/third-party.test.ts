import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { pageFiles } from "../../build/page-files.js";
import { bundledPackages, licensesOf, LICENSES_FILE, thirdPartyLicenses } from "../../build/third-party.js";
import { workerPrograms } from "../../build/worker-programs.js";
import { trackerScript } from "../../build/tracker-script.js";

const SOURCE = join(import.meta.dirname, "../../src");

let directory = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "daybook-licences-"));
});
afterEach(async () => {
  await rm(directory, { recursive: true });
});

async function madePackage(name: string, files: Readonly<Record<string, string>>): Promise<string> {
  const path = join(directory, "node_modules", name);
  await mkdir(path, { recursive: true });
  await writeFile(join(path, "package.json"), JSON.stringify({ name, version: "1.2.3" }));
  for (const [file, text] of Object.entries(files)) await writeFile(join(path, file), text);
  return path;
}

test("The licence of each package inside the page stands beside it, and threads and the tracker have no package inside.", async () => {
  const page = await pageFiles(directory);
  const threads = await workerPrograms(SOURCE, directory);
  const tracker = await trackerScript(SOURCE, directory);
  expect(bundledPackages([...threads, tracker])).toEqual([]);
  await thirdPartyLicenses(directory, [...threads, tracker, page]);
  const text = await readFile(join(directory, LICENSES_FILE), "utf8");
  const names = [...text.matchAll(/^(\S+) \d+\.\d+\.\d+\S*$/gm)].map(([, name]) => name);
  expect(names).toEqual(["preact", "uplot"]);
  for (const name of names) expect(text).toContain((await readFile(join(SOURCE, `../node_modules/${name}/LICENSE`), "utf8")).trim());
});

test("Packages are found by their files, within others, with a scope and behind a plugin, each once.", async () => {
  const inputs = ["src/a.ts", "node_modules/a/b/c.js", "node_modules/a/d.js", "../x/node_modules/@s/b/e.js", "css:node_modules/a/node_modules/c/f.css"];
  expect(bundledPackages([{ inputs: Object.fromEntries(inputs.map((input) => [input, {}])) }])).toEqual(
    ["../x/node_modules/@s/b", "node_modules/a", "node_modules/a/node_modules/c"].map((path) => join(process.cwd(), path)).sort(),
  );
});

test("A package without a licence fails the build; all files of one are told.", async () => {
  const bare = await madePackage("bare", { "README.md": "MIT" });
  await expect(licensesOf([bare])).rejects.toThrow("bare 1.2.3: is bundled and has no licence");
  const told = await madePackage("told", { "LICENCE.txt": "Terms", "NOTICE": "Thanks" });
  expect(await licensesOf([told])).toContain("told 1.2.3\n\nTerms\n\nThanks\n");
});
