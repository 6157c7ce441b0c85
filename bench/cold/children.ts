import { buildSync } from "esbuild";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { getOrMake } from "../../src/core/base/arrays.js";

/** What a new process took, in ms, and its answer as JSON in the form in which engines are compared. */
export interface ColdRun {
  /** Opening the stored events; importing the library is not in it. */
  readonly openMs: number;
  /** The first query after the opening, until the answer is complete. */
  readonly firstMs: number;
  readonly answer: string;
}

/** Opens stored events in a process of its own and runs one query, once. @param path of the store or file of the engine */
export function coldRun(engine: "daybook" | "duckdb", path: string, query: string): ColdRun {
  return outputOf(`${engine}-child.ts`, path, query) as ColdRun;
}

/** What the plainest loop over the columns of a query takes in a process of its own, in ms; null if the query reads tables instead. */
export function boundMs(path: string, query: string): number | null {
  return (outputOf("bound-child.ts", path, query) as { readonly loopMs: number } | null)?.loopMs ?? null;
}

function outputOf(child: string, path: string, query: string): unknown {
  const program = getOrMake(programs, child, () => bundled(child));
  return JSON.parse(execFileSync(process.execPath, [program, path, query], { encoding: "utf8", maxBuffer: 2 ** 28 }));
}

const programs = new Map<string, string>();

/** A program as JavaScript inside the package, whose name it imports: a loader of TypeScript would delay what the package loads on first use. */
function bundled(child: string): string {
  const parent = fileURLToPath(new URL("../../.test-programs", import.meta.url));
  mkdirSync(parent, { recursive: true });
  const directory = mkdtempSync(join(parent, "cold-"));
  process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
  const outfile = join(directory, child.replace(/\.ts$/, ".mjs"));
  const [entry, tsconfig] = [child, "../tsconfig.json"].map((path) => fileURLToPath(new URL(path, import.meta.url))) as [string, string];
  buildSync({ entryPoints: [entry], outfile, bundle: true, packages: "external", platform: "node", format: "esm", target: "node20", tsconfig, logLevel: "error" });
  return outfile;
}
