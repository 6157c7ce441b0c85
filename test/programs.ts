import { build } from "esbuild";
import { mkdtempSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** The directory of the programs that tests start as processes of their own. */
    readonly programs: string;
  }
}

const root = fileURLToPath(new URL("..", import.meta.url));
const entryPoints = ["src/cli/main.ts", "src/node/seal-program.mts", "src/node/socket-thread.mts"].map((path) => join(root, path));

/** Bundles the command line once for all tests: a process that reads TypeScript takes seconds to start. Inside the package, as the built one is. */
export async function setup({ provide }: TestProject): Promise<() => void> {
  const parent = join(root, ".test-programs");
  mkdirSync(parent, { recursive: true });
  const directory = mkdtempSync(join(parent, "run-"));
  await build({
    entryPoints, outdir: directory, entryNames: "[name]", outExtension: { ".js": ".mjs" },
    bundle: true, splitting: true, packages: "external", platform: "node", format: "esm", target: "node20",
  });
  provide("programs", directory);
  return () => rmSync(directory, { recursive: true, force: true });
}
