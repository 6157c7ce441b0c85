import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundleMutant } from "./bundled-mutant.js";
import { tableMutants, type TableMutant } from "./table-mutants.js";

/** A mutant that does not end, or takes the process down, is noticed too. */
const TIMEOUT_MS = 120_000;

let directory = "";
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "daybook-mutants-"));
});
afterAll(() => rm(directory, { recursive: true }));

/** What live histories say of a mutant. */
async function verdict(mutant: TableMutant | null, name: string): Promise<"noticed" | "not noticed"> {
  const file = join(directory, `${name}.cjs`);
  await bundleMutant(mutant, file);
  return await new Promise((resolve, reject) => {
    execFile(process.execPath, [file], { timeout: TIMEOUT_MS }, (error, stdout) => {
      if (error === null) resolve("not noticed");
      else if (error.signal !== null || stdout !== "") resolve("noticed");
      else reject(error);
    });
  });
}

test("The source itself passes.", async () => {
  expect(await verdict(null, "source")).toBe("not noticed");
});

describe.concurrent("Live histories notice what", () => {
  test.each(tableMutants.map((mutant, at) => [mutant.file.slice("src/".length), mutant.forgets, mutant, at] as const))(
    "%s does where it forgets %s",
    { timeout: TIMEOUT_MS * 2 },
    async (_file, _forgets, mutant, at) => {
      expect(await verdict(mutant, String(at))).toBe("noticed");
    },
  );
});
