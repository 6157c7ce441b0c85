import { execFileSync, spawnSync } from "node:child_process";
import { cp, mkdir, readFile, readdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { emptyDirectory, ROOT } from "./run.js";

/** The package as `npm install` would lay it out: packed from a copy that is built there, so that no other build is touched. */
async function installed(): Promise<string> {
  const directory = await emptyDirectory();
  const copy = join(directory, "copy");
  await mkdir(copy);
  for (const name of await readdir(ROOT))
    if (!["node_modules", "dist", "test", "bench", "coverage", "data", ".git"].includes(name)) await cp(join(ROOT, name), join(copy, name), { recursive: true });
  await symlink(join(ROOT, "node_modules"), join(copy, "node_modules"));
  execFileSync(join(ROOT, "node_modules/.bin/tsup"), ["--silent", "--no-dts"], { cwd: copy, stdio: "inherit" });
  const [{ filename }] = JSON.parse(execFileSync("npm", ["pack", "--json", "--ignore-scripts"], { cwd: copy, encoding: "utf8" })) as [{ readonly filename: string }];
  const modules = join(directory, "project", "node_modules");
  await mkdir(modules, { recursive: true });
  execFileSync("tar", ["-xzf", join(copy, filename), "-C", modules]);
  await cp(join(modules, "package"), join(modules, "daybook"), { recursive: true });
  const { dependencies } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as { readonly dependencies: Readonly<Record<string, string>> };
  // Linked, each finds its own dependencies where it really lies.
  for (const name of Object.keys(dependencies)) await symlink(join(ROOT, "node_modules", name), join(modules, name));
  return join(directory, "project");
}

test("daybook demo of the installed package imports what came with it, prints its figures, and says where the rest is.", async () => {
  const project = await installed();
  const run = (...args: readonly string[]) => spawnSync(process.execPath, ["node_modules/daybook/dist/cli.js", ...args], { cwd: project, encoding: "utf8" });
  expect(run("--help").stdout).toMatch(/^ {2}demo +\S/m);
  const { status, stdout } = run("demo", "--once", "--data", "elsewhere");
  expect(stdout).toMatch(/^ {2}access-log +10,000 events imported in /m);
  expect(stdout).toMatch(/^ {2}cdnow +69,659 events imported in /m);
  expect(stdout).toMatch(/^ {2}cdnow-sample +6,919 events imported in /m);
  expect(stdout).toMatch(/^ {2}online-retail +is not in the package; it is in a clone of the repository and at https:\/\/\S+\/examples\/data\/online_retail_uk_2010-12_2011-12\.csv\.gz$/m);
  expect(stdout).toMatch(/^ +23,570 +customers$/m);
  expect(stdout).toMatch(/^ +2015-05-18 +2,893 +627 +█+$/m);
  expect(stdout).not.toContain("online-retail —");
  expect(status).toBe(0);
});
