import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { alias } from "../../vitest.config.js";

/** A server for each worker, which runs one statement at a time. */
export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  resolve: { alias },
  test: {
    include: ["test/clickhouse/**/*.test.ts"],
    exclude: ["**/node_modules/**"],
    globalSetup: ["test/programs.ts", "test/clickhouse/setup.ts"],
    testTimeout: 900_000,
    hookTimeout: 900_000,
    maxWorkers: 2,
    isolate: false,
  },
});
