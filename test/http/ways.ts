import { build } from "esbuild";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { listen } from "../../src/node/listen.js";
import type { Listening, ListenOptions, RequestHandler } from "../../src/node/listen.js";
import { listenOnThreadOf } from "../../src/node/listen-on-thread.js";

export type Listen = (handler: RequestHandler, options?: ListenOptions) => Promise<Listening>;

/** The program of the thread as one file: threads of the test runner do not read TypeScript. */
const outfile = join(mkdtempSync(join(tmpdir(), "daybook-thread-")), "socket-thread.mjs");
const entryPoint = fileURLToPath(new URL("../../src/node/socket-thread.ts", import.meta.url));
await build({ entryPoints: [entryPoint], bundle: true, platform: "node", format: "esm", target: "node20", outfile });
export const THREAD = pathToFileURL(outfile);

/** Functions of web objects are answered on the thread they are on. */
const listenOnThread: Listen = (handler, options = {}) => ("front" in handler ? listenOnThreadOf(THREAD, handler, options) : listen(handler, options));

/** Where sockets can be: whatever a caller does, the answers are the same. */
export const WAYS: readonly (readonly [name: string, listen: Listen, isOnThread: boolean])[] = [
  ["on the thread of the handler", listen, false],
  ["on a thread of its own", listenOnThread, true],
];
