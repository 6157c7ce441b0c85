import { build } from "esbuild";

/** The modules of a program, and the packages, that are loaded before its first line runs: what it loads when it needs it is not among them. */
export async function loadedAtOnce(entry: string): Promise<ReadonlySet<string>> {
  const { metafile } = await build({ entryPoints: [entry], bundle: true, packages: "external", format: "esm", outdir: "out", write: false, metafile: true, logLevel: "error" });
  const loaded = new Set<string>();
  const load = (path: string): void => {
    if (loaded.has(path)) return;
    loaded.add(path);
    for (const { path: next, kind } of metafile.inputs[path]?.imports ?? []) if (kind === "import-statement") load(next);
  };
  for (const { entryPoint } of Object.values(metafile.outputs)) if (entryPoint !== undefined) load(entryPoint);
  return loaded;
}
