import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./cli/run.js";

/** Packages have pages of their own. */
const PACKAGES = "node_modules";
const SKIPPED = ["dist", "coverage", "data"];

/** All Markdown pages of the repository below a folder, by their paths from its root. */
export function pagesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name.startsWith(".") || entry.name === PACKAGES || (folder === "" && SKIPPED.includes(entry.name)) ? [] : pagesBelow(path);
    return entry.name.endsWith(".md") ? [path] : [];
  });
}

/** The blocks of code of a page, in their order. */
export function blocksOf(page: string): { readonly language: string; readonly text: string }[] {
  const blocks = readFileSync(join(ROOT, page), "utf8").matchAll(/^```(\w+)\n([^]*?)^```/gm);
  return Array.from(blocks, ([, language = "", text = ""]) => ({ language, text }));
}
