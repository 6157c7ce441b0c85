import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { rollup } from "rollup";

type ImportedIds = (id: string) => readonly string[];

/**
 * Merges the chunks that an entry and others import statically, by the entries that import them: opening one more file takes a new process as long as
 * compiling ten thousand bytes. All other chunks stay apart, so that what is imported on demand brings nothing else with it.
 * @param first the entry @param others names of the other entries, without `.js`
 */
export async function mergeChunks(directory: string, first: string, others: readonly string[]): Promise<void> {
  const names = [first, ...others];
  const input = Object.fromEntries(names.map((name) => [name, join(directory, `${name}.js`)]));
  const paths = Object.values(input);
  const bundle = await rollup({ input, external: (id) => !id.startsWith(".") && !id.startsWith(directory), treeshake: { moduleSideEffects: false } });
  let closures: readonly ReadonlySet<string>[] | null = null;
  const before = (await readdir(directory)).filter((name) => name.endsWith(".js"));
  const { output } = await bundle.write({
    dir: directory,
    format: "es",
    chunkFileNames: "chunk-[hash].js",
    manualChunks: (id, { getModuleInfo }) => {
      closures ??= paths.map((entry) => closureOf(entry, (module) => getModuleInfo(module)?.importedIds ?? []));
      const importers = names.filter((_, at) => closures?.[at]?.has(id));
      return importers[0] !== first || paths.includes(id) ? undefined : importers.join("-");
    },
  });
  await bundle.close();
  const after = new Set(output.map(({ fileName }) => fileName));
  await Promise.all(before.filter((name) => !after.has(name)).map((name) => rm(join(directory, name))));
}

function closureOf(entry: string, importedIds: ImportedIds): ReadonlySet<string> {
  const found = new Set([entry]);
  for (const id of found) for (const imported of importedIds(id)) found.add(imported);
  return found;
}
