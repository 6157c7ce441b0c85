import { execFile } from "node:child_process";
import { build } from "esbuild";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { RUNTIMES } from "./runtimes.js";

/** Cases of the suites of storages and executors, and those of the program itself. */
const CASE_COUNT_MIN = 80;
const source = (path: string) => fileURLToPath(new URL(`../../src/${path}`, import.meta.url));
const program = join(mkdtempSync(join(tmpdir(), "daybook-runtimes-")), "core.mjs");

await build({
  entryPoints: [fileURLToPath(new URL("core-program.ts", import.meta.url))],
  outfile: program, bundle: true, platform: "node", format: "esm", target: "node20",
  alias: { daybook: source("index.ts"), "daybook/http": source("http/index.ts"), "daybook/node": source("platform/node/index.ts"), "daybook/testing": source("testing/index.ts") },
});

test.each(Object.entries(RUNTIMES))("The core does on %s what it does here.", async (_name, [binary, ...before]) => {
  const { code, output } = await outcomeOf(binary, [...before, program]);
  const [, passed, failed] = /(\d+) passed, (\d+) failed\s*$/.exec(output) ?? [];
  expect({ code, failed }, output).toEqual({ code: 0, failed: "0" });
  expect(Number(passed)).toBeGreaterThanOrEqual(CASE_COUNT_MIN);
});

function outcomeOf(binary: string, args: readonly string[]): Promise<{ readonly code: number | string | null; readonly output: string }> {
  return new Promise((resolve) => {
    const child = execFile(binary, args, { timeout: 240_000 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? child.exitCode : (error.code ?? "killed"), output: `${stdout}${stderr}` });
    });
  });
}
