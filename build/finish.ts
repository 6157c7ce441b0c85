import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { commonJs } from "./common-js.js";
import { pageFiles } from "./page-files.js";
import { threadPrograms } from "./thread-programs.js";
import { trackerScript } from "./tracker-script.js";

// What tsup leaves to be made: the programs of threads, the script of web pages and the page, and all of it as CommonJS.
const root = fileURLToPath(new URL("..", import.meta.url));
const { exports } = JSON.parse(await readFile(`${root}package.json`, "utf8")) as { exports: Record<string, { import?: { default: string } }> };
const entries = Object.values(exports).flatMap((entry) => /^\.\/dist\/(.+)\.js$/.exec(entry.import?.default ?? "")?.[1] ?? []);
await threadPrograms(`${root}src`, `${root}dist`);
await trackerScript(`${root}src`, `${root}dist`);
await commonJs(`${root}dist`, entries);
await pageFiles(`${root}dist/page`);
