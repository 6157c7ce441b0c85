import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import type { Mutant } from "./mutant.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Bundles a program with a mutant of the source; with the source itself for null.
 * @param program its name in this folder @throws where the mutant's text does not stand there once
 */
export async function bundleMutant(program: string, mutant: Mutant | null, file: string): Promise<void> {
  const { outputFiles } = await build({
    entryPoints: [`${root}/test/mutants/${program}`],
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
export async function mutatedSource({ file, text, replacement }: Mutant): Promise<string> {
  const [before, after, ...more] = (await readFile(`${root}/${file}`, "utf8")).split(text);
  if (before === undefined || after === undefined || more.length > 0) throw new Error(`expected this text once in ${file}, found it ${more.length + (after === undefined ? 0 : 1)} times: ${text}`);
  return before + replacement + after;
}

function mutated(mutant: Mutant): Plugin {
  return {
    name: "mutant",
    setup: ({ onLoad }) => {
      // Of no other file esbuild asks.
      onLoad({ filter: new RegExp(`/${mutant.file.replaceAll(".", "\\.")}$`) }, async () => ({ contents: await mutatedSource(mutant), loader: "ts" }));
    },
  };
}
