import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import type { TableMutant } from "./table-mutants.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Bundles the program that lets live histories happen with a mutant of the source; the source itself for null. @throws where its text does not stand there once */
export async function bundleMutant(mutant: TableMutant | null, file: string): Promise<void> {
  const { outputFiles } = await build({
    entryPoints: [`${root}/test/mutants/live-program.ts`],
    bundle: true,
    write: false,
    platform: "node",
    format: "cjs",
    target: "node20",
    external: ["apache-arrow"],
    alias: { "daybook/testing": `${root}/src/testing/index.ts`, daybook: `${root}/src/index.ts` },
    logLevel: "silent",
    plugins: mutant === null ? [] : [mutated(mutant)],
  });
  await writeFile(file, outputFiles[0]?.contents ?? "");
}

/** @throws where the text does not stand in the file exactly once */
export async function mutatedSource({ file, text, replacement }: TableMutant): Promise<string> {
  const [before, after, ...more] = (await readFile(`${root}/${file}`, "utf8")).split(text);
  if (before === undefined || after === undefined || more.length > 0) throw new Error(`expected this text once in ${file}, found it ${more.length + (after === undefined ? 0 : 1)} times: ${text}`);
  return before + replacement + after;
}

function mutated(mutant: TableMutant): Plugin {
  return {
    name: "mutant",
    setup: ({ onLoad }) => {
      const path = `${root}/${mutant.file}`.replaceAll("//", "/");
      onLoad({ filter: /\.ts$/ }, async (args) => (args.path === path ? { contents: await mutatedSource(mutant), loader: "ts" } : undefined));
    },
  };
}
