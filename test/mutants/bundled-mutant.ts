import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import type { Mutant } from "./mutant.js";
import { placesOf } from "./symbols.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Bundles a program with a mutant of the source; with the source itself for null.
 * @param program its name in this folder @throws as `mutatedSource`
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

/** A file of the source with a mutant in it. @throws where no declaration of that name, or several, have the mutant's text once */
export function mutatedSource({ symbol, text, replacement }: Mutant): { readonly file: string; readonly contents: string } {
  const found = placesOf(symbol, text).flatMap(({ file, source, from, to }) => {
    const [before, after, ...more] = source.slice(from, to).split(text);
    if (before === undefined || after === undefined || more.length > 0) return [];
    return [{ file, contents: source.slice(0, from) + before + replacement + after + source.slice(to) }];
  });
  const [only, ...others] = found;
  if (only === undefined || others.length > 0) throw new Error(`expected one ${symbol} with this text once, found ${found.length}: ${text}`);
  return only;
}

function mutated(mutant: Mutant): Plugin {
  const { file, contents } = mutatedSource(mutant);
  return {
    name: "mutant",
    setup: ({ onLoad }) => {
      onLoad({ filter: new RegExp(`/${file.replaceAll(".", "\\.")}$`) }, () => ({ contents, loader: "ts" }));
    },
  };
}
