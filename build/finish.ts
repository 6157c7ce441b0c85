import { readFile, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { commonJs } from "./common-js.js";
import { embedScript } from "./embed-script.js";
import { mergeChunks } from "./merge-chunks.js";
import { pageFiles } from "./page-files.js";
import { thirdPartyLicenses, type Bundled } from "./third-party.js";
import { workerPrograms } from "./worker-programs.js";
import { trackerScript } from "./tracker-script.js";

// What tsup leaves to be made: the programs of threads, the script of web pages and the page, all of it as CommonJS, and the
// licences of the packages inside.
const root = fileURLToPath(new URL("..", import.meta.url));
const { exports } = JSON.parse(await readFile(`${root}package.json`, "utf8")) as { exports: Record<string, { import?: { default: string } }> };
const names = Object.values(exports).flatMap((entry) => /^\.\/dist\/(.+)\.js$/.exec(entry.import?.default ?? "")?.[1] ?? []);
/** Without the elements, of which tsup makes the types alone. */
const entries = names.filter((name) => name !== "embed");
/** What tsup made its files of. */
const MADE_OF = `${root}dist/metafile-esm.json`;
const modules = JSON.parse(await readFile(MADE_OF, "utf8")) as Bundled;
await rm(MADE_OF);
await mergeChunks(`${root}dist`, "index", [...entries.filter((name) => name !== "index"), "cli"]);
const threads = await workerPrograms(`${root}src`, `${root}dist`);
const tracker = await trackerScript(`${root}src`, `${root}dist`);
await commonJs(`${root}dist`, entries);
const elements = await embedScript(`${root}src`, `${root}dist`);
const page = await pageFiles(`${root}dist/page`);
await thirdPartyLicenses(`${root}dist`, [modules, ...threads, tracker, ...elements, page]);
