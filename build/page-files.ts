import { build } from "esbuild";
import { copyFile, mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const source = fileURLToPath(new URL("../src/page/", import.meta.url));

/** The files of the page, and the types that they are served with. */
export const PAGE_FILES = { "index.html": "text/html; charset=utf-8", "page.js": "text/javascript; charset=utf-8", "page.css": "text/css; charset=utf-8" } as const;

/** Makes the page's three files in a directory, with the packages they use inside. */
export async function pageFiles(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  await build({
    entryPoints: [
      { in: `${source}start.tsx`, out: "page" },
      { in: `${source}style/page.css`, out: "page" },
    ],
    outdir: directory,
    bundle: true, minify: true, format: "esm", platform: "browser", target: "es2022", charset: "utf8", legalComments: "none",
    jsx: "automatic", jsxImportSource: "preact",
  });
  await copyFile(`${source}index.html`, `${directory}/index.html`);
}
