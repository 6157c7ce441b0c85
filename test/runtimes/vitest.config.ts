import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** One runtime after the other: what is of interest is whether they pass, and nothing beside them should be late. */
export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: { include: ["test/runtimes/*.test.ts"], testTimeout: 300_000, maxWorkers: 1 },
});
