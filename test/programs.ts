import { build, type Plugin } from "esbuild";
import { mkdtempSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { TestProject } from "vitest/node";
import { embedScript } from "../build/embed-script.js";
import { pageFiles } from "../build/page-files.js";
import { trackerScript } from "../build/tracker-script.js";
import { alias } from "../vitest.config.js";
import { PROGRAMS, bundleOf } from "./program-names.js";

declare module "vitest" {
  interface ProvidedContext {
    /** The directory of the programs that tests start as processes of their own. */
    readonly programs: string;
  }
}

const root = fileURLToPath(new URL("..", import.meta.url));
const THREADS = ["src/platform/node/seal-worker.mts", "src/platform/node/socket-worker.mts"];

/** The package by its name is the source, and an example finds the data beside it. */
const asInPlace: Plugin = {
  name: "as in place",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^daybook(?:\/|$)/ }, ({ path }) => {
      const entry = alias.find(({ find }) => find.test(path));
      return entry === undefined ? undefined : { path: entry.replacement };
    });
    onLoad({ filter: /[\\/]examples[\\/].*\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href)),
      loader: "ts",
    }));
  },
};

/**
 * Bundles programs once for all tests, with the packages they use: a process that reads TypeScript takes seconds to start. Inside the package,
 * as the built ones are.
 */
export async function setup({ provide }: TestProject): Promise<() => void> {
  const parent = join(root, ".test-programs");
  mkdirSync(parent, { recursive: true });
  const directory = mkdtempSync(join(parent, "run-"));
  const threads = THREADS.map((path) => ({ in: join(root, path), out: relative("src/platform/node", path).replace(/\.mts$/, "") }));
  await build({
    entryPoints: [...PROGRAMS.map((path) => ({ in: join(root, path), out: bundleOf(path) })), ...threads],
    outdir: directory, outExtension: { ".js": ".mjs" }, plugins: [asInPlace],
    bundle: true, external: ["@clickhouse/client", "@duckdb/node-api"], splitting: true, platform: "node", format: "esm", target: "node20",
  });
  await Promise.all([trackerScript(join(root, "src"), directory), embedScript(join(root, "src"), directory), pageFiles(join(directory, "page"))]);
  provide("programs", directory);
  return () => rmSync(directory, { recursive: true, force: true });
}
