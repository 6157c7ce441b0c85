import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

export const alias = [
  { find: /^daybook$/, replacement: source("index.ts") },
  { find: /^daybook\/client$/, replacement: source("client/index.ts") },
  { find: /^daybook\/http$/, replacement: source("http/index.ts") },
  { find: /^daybook\/node$/, replacement: source("node/index.ts") },
  { find: /^daybook\/testing$/, replacement: source("testing/index.ts") },
];

export default defineConfig({
  resolve: { alias },
  test: {
    globalSetup: "test/programs.ts",
    include: ["test/**/*.test.ts"],
    exclude: ["test/**/*.long.test.ts", "node_modules/**"],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
  },
});
