import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { gzip } from "node:zlib";
import { promisify } from "node:util";
import type { BrowserFile, BrowserFiles } from "../http/index.js";

const compressed = promisify(gzip);
const BEST = 9;

/** Where this module lies, and beside it what is built for browsers. */
const BUILT = new URL(".", import.meta.url);

export interface BrowserFilesOptions {
  /** False: without the page that shows the numbers. Default true. */
  readonly page?: boolean;
}

/** The files of this package for browsers: the script for sites, and the page. @throws the system's error where they are not beside this module */
export async function loadBrowserFiles({ page = true }: BrowserFilesOptions = {}): Promise<BrowserFiles> {
  const tracker = await fileOf("daybook.js");
  if (!page) return { tracker };
  const [html, script, style] = await Promise.all([fileOf("page/index.html"), fileOf("page/page.js"), fileOf("page/page.css")]);
  return { tracker, page: { html, script, style } };
}

async function fileOf(name: string): Promise<BrowserFile> {
  const bytes = await readFile(fileURLToPath(new URL(name, BUILT)));
  return { text: bytes.toString("utf8"), gzip: new Uint8Array(await compressed(bytes, { level: BEST })) };
}
