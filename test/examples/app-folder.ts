import { build } from "esbuild";
import { cp, mkdir, readdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { commonJs } from "../../build/common-js.js";
import { workerPrograms } from "../../build/worker-programs.js";
import { emptyDirectory, ROOT } from "../cli/run.js";

const ENTRIES = { index: "index", client: "client/index", http: "http/index", node: "platform/node/index", testing: "testing/index" };

/** A copy of a folder of `examples`, with what this repository has installed, and Daybook beside it as a package of JavaScript. */
export async function appFolder(name: string): Promise<string> {
  const directory = await emptyDirectory();
  await cp(join(ROOT, "examples", name), directory, { recursive: true });
  const modules = join(directory, "node_modules");
  const installed = join(ROOT, "node_modules");
  for (const entry of await readdir(installed)) {
    if (entry.startsWith(".") && entry !== ".bin") continue;
    await mkdir(modules, { recursive: true });
    await symlink(join(installed, entry), join(modules, entry));
  }
  const packageFolder = join(modules, "daybook");
  await mkdir(packageFolder);
  await cp(join(ROOT, "package.json"), join(packageFolder, "package.json"));
  const entryPoints = Object.fromEntries(Object.entries(ENTRIES).map(([to, from]) => [to, join(ROOT, "src", `${from}.ts`)]));
  const dist = join(packageFolder, "dist");
  await build({ entryPoints, outdir: dist, bundle: true, splitting: true, packages: "external", platform: "node", format: "esm", target: "node20" });
  await workerPrograms(join(ROOT, "src"), dist);
  await commonJs(dist, Object.keys(ENTRIES).filter((entry) => entry !== "client"));
  return directory;
}

/** Where a package keeps the program that starts it. */
export function programOf(directory: string, path: string): string {
  return join(directory, "node_modules", path);
}

