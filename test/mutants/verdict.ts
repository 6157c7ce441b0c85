import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleMutant } from "./bundled-mutant.js";
import { nameOf, type Mutant } from "./mutant.js";
import { noticedIn } from "./noticed-in.js";

export const TIMEOUT_MS = 300_000;

/** In which history a program of this folder noticed something, or was taken down. */
export type Verdict = number | "nowhere" | "does not end";

/** Far more than the histories take: what takes more and more memory is to end soon. */
const FLAGS = ["--max-old-space-size=512"];

/**
 * Runs a program of this folder over some histories with a mutant; with the source itself for null.
 * @param histories all that the program has for null @param args before them
 */
export async function verdictOf(
  program: string,
  mutant: Mutant | null,
  histories: readonly number[] | null,
  args: readonly string[] = [],
): Promise<Verdict> {
  const directory = await mkdtemp(join(tmpdir(), "daybook-mutant-"));
  try {
    const file = join(directory, "program.cjs");
    await bundleMutant(program, mutant, file);
    return await new Promise((resolve, reject) => {
      execFile(process.execPath, [...FLAGS, file, ...args, ...(histories ?? []).map(String)], { timeout: TIMEOUT_MS }, (error, stdout) => {
        const [, history] = [...stdout.matchAll(/^history (\d+)$/gm)].at(-1) ?? [];
        if (error === null) resolve("nowhere");
        else if (error.killed === true) resolve("does not end");
        else if (history !== undefined) resolve(Number(history));
        else reject(error);
      });
    });
  } finally {
    await rm(directory, { recursive: true });
  }
}

/**
 * The verdict on a mutant. Tries the recorded history first, then all. It is an error if the unmutated source fails too.
 */
export async function verdictOnMutant(program: string, mutant: Mutant, args: readonly string[] = []): Promise<Verdict> {
  const known = noticedIn[nameOf(mutant)];
  if (known !== undefined) {
    const verdict = await verdictOf(program, mutant, [known], args);
    if (verdict !== "nowhere") return verdict;
  }
  const verdict = await verdictOf(program, mutant, null, args);
  if (typeof verdict === "number") {
    console.warn(`${nameOf(mutant)} is noticed in history ${verdict}, written down is ${known ?? "none"}: npx tsx test/mutants/find-noticed.ts writes that down`);
    const ofSource = await verdictOf(program, null, [verdict], args);
    if (ofSource !== "nowhere") throw new Error(`history ${verdict} tells of the source itself: ${ofSource}`);
  }
  return verdict;
}

/** The histories that are known to tell of some mutants. */
export function knownHistories(mutants: readonly Mutant[]): number[] {
  return [...new Set(mutants.flatMap((mutant) => noticedIn[nameOf(mutant)] ?? []))];
}
