import { build, type Metafile, type Plugin } from "esbuild";
import { join } from "node:path";
import { plotInEnglish } from "./page-files.js";

/** A style sheet that a module imports is its text, with all that it imports itself. */
const styleText: Plugin = {
  name: "style text",
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { outputFiles } = await build({ entryPoints: [path], bundle: true, minify: true, charset: "utf8", write: false, logLevel: "error" });
      return { contents: outputFiles.map(({ text }) => text).join(""), loader: "text" };
    });
  },
};

const FORMATS = [{ format: "esm", extension: "js" }, { format: "cjs", extension: "cjs" }] as const;

/**
 * Writes the elements for other pages: one module that pages load and bundlers take, with the packages it uses inside, and the same as CommonJS, which
 * does not know where it is from. Returns what they are made of.
 */
export async function embedScript(source: string, directory: string): Promise<Metafile[]> {
  return await Promise.all(FORMATS.map(async ({ format, extension }) => {
    const { metafile } = await build({
      entryPoints: [join(source, "embed/index.ts")],
      outfile: join(directory, `embed.${extension}`),
      bundle: true, minify: true, format, platform: "browser", target: "es2022", charset: "utf8", legalComments: "none",
      jsx: "automatic", jsxImportSource: "preact", plugins: [plotInEnglish, styleText], metafile: true, logLevel: "error",
      ...(format === "cjs" && { define: { "import.meta.url": '""' } }),
    });
    return metafile;
  }));
}
