import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const ROUND_COUNT = 31;
const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** What a process does before its first line, by the name of the figure. */
const PROGRAMS = {
  empty: ["--input-type=module", ""],
  importMs: ["--input-type=module", 'import "daybook";'],
  importNodeMs: ["--input-type=module", 'import "daybook"; import "daybook/node";'],
  requireMs: ["--input-type=commonjs", 'require("daybook");'],
} as const;

function msOf([flag, code]: readonly [string, string]): number {
  const startedMs = performance.now();
  execFileSync(process.execPath, [flag, "--eval", code], { cwd: ROOT });
  return performance.now() - startedMs;
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** What it takes to have the built package, in ms: processes that do nothing but import it, less such that do nothing, in turns; medians. */
export function importFigures(): Promise<Record<string, number>> {
  const names = Object.keys(PROGRAMS) as (keyof typeof PROGRAMS)[];
  const runs = names.map((): number[] => []);
  for (let round = -1; round < ROUND_COUNT; round += 1)
    for (const [at, name] of names.entries()) {
      const ms = msOf(PROGRAMS[name]);
      if (round >= 0) runs[at]?.push(ms);
    }
  const [empty = 0, ...others] = runs.map(median);
  return Promise.resolve(Object.fromEntries(others.map((ms, at) => [names[at + 1] ?? "", ms - empty])));
}
