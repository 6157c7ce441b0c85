import { build, transform } from "esbuild";
import type { Project } from "./project.js";

export type Format = "esm" | "cjs";

/** Entries of a bundle by their names, and where the files go: one `NAME.js` each. */
export interface Bundle {
  readonly entries: Readonly<Record<string, string>>;
  readonly format: Format;
  readonly directory: string;
}

/** Makes a bundle in a project. */
export type Bundler = (project: Project, bundle: Bundle) => Promise<void>;

const esbuild: Bundler = async (project, { entries, format, directory }) => {
  await build({ entryPoints: { ...entries }, bundle: true, platform: "node", format, outdir: directory, absWorkingDir: project.directory, logLevel: "error" });
};

/** Rollup finds packages by `@rollup/plugin-node-resolve`, whose part is played by Node itself here. */
const ROLLUP = `
  import { isBuiltin } from "node:module";
  import { fileURLToPath } from "node:url";
  import { rollup } from "rollup";
  const [entries, format, dir] = process.argv.slice(2);
  const resolveId = (id) => (isBuiltin(id) ? { id, external: true } : /^[./]/.test(id) ? null : fileURLToPath(import.meta.resolve(id)));
  const bundle = await rollup({ input: JSON.parse(entries), external: ["apache-arrow"], plugins: [{ name: "node", resolveId }], onwarn: () => undefined });
  await bundle.write({ dir, format });
`;

const rollup: Bundler = async (project, { entries, format, directory }) => {
  await project.link("rollup");
  const script = await project.write("bundle.mjs", ROLLUP);
  await project.run(script, [JSON.stringify(entries), format, directory]);
};

const WEBPACK = `
  import webpack from "webpack";
  const [entry, format, path] = process.argv.slice(2);
  const isModule = format === "esm";
  const output = { path, filename: "[name].js", ...(isModule ? { module: true, library: { type: "module" }, chunkFormat: "module" } : {}) };
  const config = { mode: "production", target: "node20", entry: JSON.parse(entry), output, experiments: { outputModule: isModule }, optimization: { minimize: false } };
  webpack(config, (error, stats) => {
    if (error !== null || stats.hasErrors()) throw error ?? new Error(stats.toString());
  });
`;

const webpack: Bundler = async (project, { entries, format, directory }) => {
  await project.link("webpack");
  const script = await project.write("bundle.mjs", WEBPACK);
  await project.run(script, [JSON.stringify(entries), format, directory]);
};

export const BUNDLERS = { esbuild, rollup, webpack };

/** TypeScript as JavaScript of modules. */
export async function javaScriptOf(text: string): Promise<string> {
  return (await transform(text, { loader: "ts", format: "esm" })).code;
}
