import { build } from "esbuild";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** The program of a thread as one file: threads of the test runner do not read TypeScript. @param name of a file of `src/node` */
export async function bundledProgram(name: string): Promise<URL> {
  const outfile = join(mkdtempSync(join(tmpdir(), "daybook-thread-")), `${name}.mjs`);
  const entryPoint = fileURLToPath(new URL(`../src/node/${name}.mts`, import.meta.url));
  await build({ entryPoints: [entryPoint], bundle: true, platform: "node", format: "esm", target: "node20", outfile });
  return pathToFileURL(outfile);
}
