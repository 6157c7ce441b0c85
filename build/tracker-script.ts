import { build } from "esbuild";
import { join } from "node:path";

/** Writes the script of web pages, one file without a module, for browsers since 2019. */
export async function trackerScript(source: string, directory: string): Promise<void> {
  await build({
    entryPoints: [join(source, "tracker/script.ts")],
    outfile: join(directory, "daybook.js"),
    bundle: true,
    format: "iife",
    platform: "browser",
    target: "es2019",
    minify: true,
    tsconfigRaw: {},
    logLevel: "error",
  });
}
