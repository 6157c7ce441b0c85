import { fileURLToPath } from "node:url";

const installed = (path: string) => fileURLToPath(new URL(`node_modules/${path}`, import.meta.url));

/** How each runtime starts a program: the binary, and what comes before the program's path. */
export const RUNTIMES: Readonly<Record<string, readonly [binary: string, ...before: string[]]>> = {
  "this Node": [process.execPath],
  "Node 22": [installed("node-22/bin/node")],
  "Node 24": [installed("node-24/bin/node")],
  Bun: [installed("@oven/bun-linux-x64/bin/bun")],
  Deno: [installed("@deno/linux-x64-glibc/deno"), "run", "--allow-all"],
};
