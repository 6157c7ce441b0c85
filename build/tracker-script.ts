import { build, type Metafile } from "esbuild";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { minify } from "terser";

/** Writes the script of web pages, one file without a module, for browsers since 2019; tells what it is made of. */
export async function trackerScript(source: string, directory: string): Promise<Metafile> {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(source, "tracker/script.ts")],
    bundle: true,
    format: "iife",
    platform: "browser",
    target: "es2019",
    minifySyntax: true,
    // No "use strict".
    tsconfigRaw: {},
    write: false,
    metafile: true,
    logLevel: "error",
  });
  // Puts functions that are called once in the place of the call, which esbuild does not: 40 bytes of 1,536.
  const { code = "" } = await minify(outputFiles.map(({ text }) => text).join(""), {
    toplevel: true,
    ecma: 2019,
    compress: { passes: 3, pure_getters: true, unsafe_arrows: true },
  });
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, "daybook.js"), code);
  return metafile;
}
