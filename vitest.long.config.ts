import { defineConfig } from "vitest/config";
import { alias } from "./vitest.config.js";

export default defineConfig({
  resolve: { alias },
  test: {
    include: ["test/**/*.long.test.ts"],
    testTimeout: 1_200_000,
    hookTimeout: 300_000,
    maxWorkers: 2,
  },
});
