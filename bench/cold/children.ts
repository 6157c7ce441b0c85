import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

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
  const file = fileURLToPath(new URL(child, import.meta.url));
  return JSON.parse(execFileSync(process.execPath, ["--import", "tsx", file, path, query], { encoding: "utf8", maxBuffer: 2 ** 28 }));
}
