import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { rollup, type Plugin } from "rollup";

/** What stands for `import.meta.url` where there is none. */
const OWN_PLACE = 'require("node:url").pathToFileURL(__filename).href';
const ownPlace: Plugin = { name: "own-place", resolveImportMeta: (property) => (property === "url" ? OWN_PLACE : null) };

/**
 * Writes the modules of a directory as CommonJS beside them. Of what is built already, so that both have the same code, `const` and all; packages that
 * are loaded when they are needed are required then, since not everything that runs CommonJS can import.
 * @param names of the entries, without `.js`
 */
export async function commonJs(directory: string, names: readonly string[]): Promise<void> {
  const bundle = await rollup({
    input: Object.fromEntries(names.map((name) => [name, join(directory, `${name}.js`)])),
    external: (id) => !id.startsWith(".") && !id.startsWith(directory),
    treeshake: { moduleSideEffects: false },
    plugins: [ownPlace],
  });
  await bundle.write({ dir: directory, format: "cjs", interop: "auto", dynamicImportInCjs: false, entryFileNames: "[name].cjs", chunkFileNames: "common-[hash].cjs" });
  await bundle.close();
  await commonJsTypes(directory);
}

/** The types of these modules: the same, but for the names of files. */
async function commonJsTypes(directory: string): Promise<void> {
  const names = (await readdir(directory)).filter((name) => name.endsWith(".d.ts"));
  await Promise.all(names.map(async (name) => {
    const text = await readFile(join(directory, name), "utf8");
    const path = join(directory, name.replace(/\.d\.ts$/, ".d.cts"));
    await writeFile(path, text.replace(/((?:from|import) ['"]\.\/[^'"]+)\.js(?=['"])/g, "$1.cjs"));
  }));
}
