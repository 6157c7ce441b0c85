import { build, type Metafile, type Plugin } from "esbuild";
import { copyFile, mkdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const source = fileURLToPath(new URL("../src/page/", import.meta.url));

/** The files of the page. */
export const PAGE_FILES = ["index.html", "page.js", "page.css"] as const;

const SYSTEM_LANGUAGE = "domEnv ? nav.language : 'en-US'";

/** uPlot breaks where a system names its language in its own way, such as `en-US@posix`; the page formats all numbers itself. */
export const plotInEnglish: Plugin = {
  name: "plot in English",
  setup({ onLoad }) {
    onLoad({ filter: /uPlot\.esm\.js$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      if (!text.includes(SYSTEM_LANGUAGE)) throw new Error(`${path}: has no ${SYSTEM_LANGUAGE}: see whether it still breaks on unknown languages`);
      return { contents: text.replace(SYSTEM_LANGUAGE, "'en-US'"), loader: "js" };
    });
  },
};

/** Makes the page's three files in a directory, with the packages they use inside; tells what they are made of. */
export async function pageFiles(directory: string): Promise<Metafile> {
  await mkdir(directory, { recursive: true });
  const { metafile } = await build({
    entryPoints: [
      { in: `${source}start.tsx`, out: "page" },
      { in: `${source}style/page.css`, out: "page" },
    ],
    outdir: directory,
    bundle: true, minify: true, format: "esm", platform: "browser", target: "es2022", charset: "utf8", legalComments: "none",
    jsx: "automatic", jsxImportSource: "preact", plugins: [plotInEnglish], metafile: true,
  });
  await copyFile(`${source}index.html`, `${directory}/index.html`);
  return metafile;
}
