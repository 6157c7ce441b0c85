import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

export const alias = [
  { find: /^daybook$/, replacement: source("index.ts") },
  { find: /^daybook\/browser$/, replacement: source("platform/browser/index.ts") },
  { find: /^daybook\/clickhouse$/, replacement: source("clickhouse/index.ts") },
  { find: /^daybook\/client$/, replacement: source("client/index.ts") },
  { find: /^daybook\/embed$/, replacement: source("embed/index.ts") },
  { find: /^daybook\/http$/, replacement: source("http/index.ts") },
  { find: /^daybook\/node$/, replacement: source("platform/node/index.ts") },
  { find: /^daybook\/react$/, replacement: source("react/index.ts") },
  { find: /^daybook\/testing$/, replacement: source("testing/index.ts") },
  { find: /^daybook\/tracker$/, replacement: source("tracker/index.ts") },
];

const LONG = "test/**/*.long.test.ts";
/** They need what only `npm run test:clickhouse` and `npm run test:runtimes` install. */
const INSTALLING = ["test/clickhouse/**", "test/runtimes/**"];

/** Tests that put something else in the place of a module: they load all modules anew. The others share them, which takes half the time. */
const replacing = filesThat(/\bvi\.(?:mock|resetModules)\(/);

export default defineConfig({
  resolve: { alias },
  test: {
    globalSetup: "test/programs.ts",
    testTimeout: 60_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    projects: [
      { extends: true, test: { name: "shared", include: ["test/**/*.test.ts"], exclude: [LONG, ...INSTALLING, ...replacing], isolate: false } },
      { extends: true, test: { name: "apart", include: replacing, exclude: [LONG, ...INSTALLING] } },
    ],
  },
});

/** Paths of the test files whose text matches. */
export function filesThat(match: RegExp): string[] {
  const root = fileURLToPath(new URL("test", import.meta.url));
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".test.ts"));
  return files.filter((name) => match.test(readFileSync(join(root, name), "utf8"))).map((name) => `test/${name}`);
}
