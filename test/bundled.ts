import { build } from "esbuild";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, extname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** The program of a thread as one file: threads of the test runner do not read TypeScript. @param name of a file of `src/node` */
export async function bundledProgram(name: string): Promise<URL> {
  return pathToFileURL(await bundledFile(`src/node/${name}.mts`));
}

/** A program of the repository as one file, which starts in a fraction of the time. @param path from the root of the repository */
export async function bundledFile(path: string): Promise<string> {
  const outfile = join(mkdtempSync(join(tmpdir(), "daybook-program-")), `${basename(path, extname(path))}.mjs`);
  const entryPoint = fileURLToPath(new URL(`../${path}`, import.meta.url));
  await build({ entryPoints: [entryPoint], bundle: true, platform: "node", format: "esm", target: "node20", outfile });
  return outfile;
}
