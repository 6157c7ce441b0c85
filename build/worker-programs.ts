import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build, type Metafile } from "esbuild";
import { keepConst } from "./keep-const.js";

const NAMES = ["seal-worker", "socket-worker"];
const FORMATS = [{ format: "esm", extension: "mjs" }, { format: "cjs", extension: "cjs" }] as const;

/** Writes the programs of threads, each as one file that runs wherever a bundler, or a person, puts it; returns what they are made of. */
export async function workerPrograms(source: string, directory: string): Promise<Metafile[]> {
  return await Promise.all(NAMES.flatMap((name) => FORMATS.map(async ({ format, extension }) => {
    const entryPoints = [join(source, `platform/node/${name}.mts`)];
    const { outputFiles, metafile } = await build({ entryPoints, bundle: true, metafile: true, packages: "external", platform: "node", target: "node20", format, write: false, logLevel: "error" });
    const path = join(directory, `${name}.${extension}`);
    await writeFile(path, keepConst(outputFiles.map(({ text }) => text).join("")));
    await writeFile(join(directory, `${name}.d.${format === "esm" ? "mts" : "cts"}`), "export {};\n");
    return metafile;
  })));
}
