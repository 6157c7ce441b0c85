import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { bundleMutant } from "./bundled-mutant.js";
import type { Mutant } from "./mutant.js";

export const TIMEOUT_MS = 300_000;

export type Verdict = "noticed" | "not noticed" | "does not end";

/** Runs a program of this folder with mutants, for the tests of one file. What it answers says what the program says of a mutant; null: of the source. One that takes the process down is noticed too. */
export function verdicts(program: string): (mutant: Mutant | null, args: readonly string[]) => Promise<Verdict> {
  let directory = "";
  let count = 0;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "daybook-mutants-"));
  });
  afterAll(() => rm(directory, { recursive: true }));
  return async (mutant, args) => {
    const file = join(directory, `${(count += 1)}.cjs`);
    await bundleMutant(program, mutant, file);
    return await new Promise((resolve, reject) => {
      execFile(process.execPath, [file, ...args], { timeout: TIMEOUT_MS }, (error, stdout) => {
        if (error === null) resolve("not noticed");
        else if (stdout !== "") resolve("noticed");
        else if (error.killed === true) resolve("does not end");
        else if (error.signal !== null) resolve("noticed");
        else reject(error);
      });
    });
  };
}
