import { constants } from "node:fs";
import { createReadStream, createWriteStream } from "node:fs";
import { access, mkdir, rename } from "node:fs/promises";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { createBrotliDecompress } from "node:zlib";
import { chromium, type Browser, type BrowserContext } from "playwright-core";

/** Names under which systems install it. */
const NAMES = ["chromium", "chromium-browser", "google-chrome"];
const CACHE = fileURLToPath(new URL("../../node_modules/.cache/daybook-chromium", import.meta.url));

/** No sandbox, for tests also run as root; none of what a browser asks of the network for itself. */
const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--disable-dev-shm-usage",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--font-render-hinting=none",
];

/** A Chromium without a window: that of the environment's `CHROMIUM`, else one of the PATH, else the one inside a development dependency. */
export async function launchChromium(): Promise<Browser> {
  return await launched((executablePath) => chromium.launch({ executablePath, args: ARGS }));
}

/** The same, which keeps what pages store in a directory, as that of a person does: it is there when it is launched again. */
export async function launchProfile(directory: string): Promise<BrowserContext> {
  return await launched((executablePath) => chromium.launchPersistentContext(directory, { executablePath, args: ARGS }));
}

async function launched<T>(launch: (executablePath: string) => Promise<T>): Promise<T> {
  const executablePath = await chromiumPath();
  try {
    return await launch(executablePath);
  } catch (error) {
    throw new Error(`the browser ${executablePath} does not start: set CHROMIUM to one that does`, { cause: error });
  }
}

let shared: Promise<Browser> | null = null;

/** One browser for all test files of a process, which open contexts of their own in it; it ends with the process. */
export async function sharedChromium(): Promise<Browser> {
  shared ??= launchChromium();
  const browser = await shared;
  if (browser.isConnected()) return browser;
  // Whoever needs another one gets it.
  shared = launchChromium();
  return await shared;
}

async function chromiumPath(): Promise<string> {
  const named = process.env["CHROMIUM"];
  if (named !== undefined && named !== "") return named;
  for (const directory of (process.env["PATH"] ?? "").split(delimiter)) {
    for (const name of NAMES) if (await isProgram(join(directory, name))) return join(directory, name);
  }
  return await packedChromium();
}

/** Unpacked once for each version of the package. Several tests may do so at the same time: each writes a file of its own, and renames it. */
async function packedChromium(): Promise<string> {
  const entry = createRequire(import.meta.url).resolve("@sparticuz/chromium");
  const root = entry.slice(0, entry.lastIndexOf(join("chromium", "build")) + "chromium".length);
  const { version } = createRequire(import.meta.url)(join(root, "package.json")) as { readonly version: string };
  const path = join(CACHE, `chromium-${version}`);
  if (await isProgram(path)) return path;
  await mkdir(dirname(path), { recursive: true });
  const unpacked = `${path}.${process.pid}`;
  await pipeline(createReadStream(join(root, "bin", "chromium.br")), createBrotliDecompress(), createWriteStream(unpacked, { mode: 0o755 }));
  await rename(unpacked, path);
  return path;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
