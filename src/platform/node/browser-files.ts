import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzip } from "node:zlib";
import { promisify } from "node:util";
import { parameterError } from "../../core/base/errors.js";
import { rejectUnknownOptions, type KnownOptions } from "../../core/base/options.js";
import type { BrowserFile, BrowserFiles } from "../../http/index.js";

const compressed = promisify(gzip);
const BEST_LEVEL = 9;

export interface BrowserFilesOptions {
  /** False: without the dashboard. Default true. */
  readonly page?: boolean;
  /** Directory of `daybook.js`, `embed.js` and `page`, for bundled programs: `dist` of this package, or a copy. Default: that of this module. */
  readonly directory?: string;
}

const KNOWN: KnownOptions<BrowserFilesOptions> = { page: true, directory: true };

/**
 * Loads this package's browser files, for `files` of `createHandler`: the tracking script, the elements for other pages, and the dashboard.
 * @throws invalid_parameter (the bundle has no URL of its own), unknown_parameter, the system's error if files are missing
 */
export async function loadBrowserFiles(options: BrowserFilesOptions = {}): Promise<BrowserFiles> {
  rejectUnknownOptions(options, KNOWN);
  const { page = true, directory = moduleDirectory() } = options;
  const file = (name: string) => fileOf(join(directory, name));
  const [tracker, embed] = await Promise.all([file("daybook.js"), file("embed.js")]);
  if (!page) return { tracker, embed };
  const [html, script, style] = await Promise.all([file("page/index.html"), file("page/page.js"), file("page/page.css")]);
  return { tracker, embed, page: { html, script, style } };
}

function moduleDirectory(): string {
  try {
    return fileURLToPath(new URL(".", import.meta.url));
  } catch {
    throw parameterError(
      "invalid_parameter",
      "directory",
      "expected the directory of the files for browsers: a bundle of this format does not know its own location",
    );
  }
}

async function fileOf(path: string): Promise<BrowserFile> {
  const bytes = await readFile(path);
  return { text: bytes.toString("utf8"), gzip: new Uint8Array(await compressed(bytes, { level: BEST_LEVEL })) };
}
