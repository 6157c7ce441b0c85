import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { alias } from "../../vitest.config.js";

/** One server for all files, and one statement at a time: more workers would only wait. */
export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  resolve: { alias },
  test: {
    include: ["test/clickhouse/**/*.test.ts"],
    exclude: ["**/node_modules/**"],
    globalSetup: ["test/programs.ts", "test/clickhouse/setup.ts"],
    testTimeout: 900_000,
    hookTimeout: 60_000,
    maxWorkers: 1,
    isolate: false,
  },
});
