import { defineConfig } from "vitest/config";
import { alias } from "./vitest.config.js";

const LOAD = "test/cli/overload/*.long.test.ts";

export default defineConfig({
  resolve: { alias },
  test: {
    globalSetup: "test/programs.ts",
    maxWorkers: 2,
    projects: [
      // Alone, before the others: it measures what a server can do while somebody else sends ten times as much.
      { extends: true, test: { name: "load", include: [LOAD], sequence: { groupOrder: 0 }, ...long() } },
      { extends: true, test: { name: "long", include: ["test/**/*.long.test.ts"], exclude: [LOAD, "node_modules/**"], sequence: { groupOrder: 1 }, ...long() } },
    ],
  },
});

function long() {
  return { testTimeout: 1_200_000, hookTimeout: 300_000 };
}
