import { listen } from "../../../src/platform/node/listen.js";
import type { RequestHandler } from "../../../src/platform/node/listen.js";
import type { Listening, ListenOptions } from "../../../src/platform/node/listen-options.js";
import { listenOnWorker } from "../../../src/platform/node/listen-on-worker.js";
import { bundledProgram } from "../../bundled.js";

export type Listen = (handler: RequestHandler, options?: ListenOptions) => Promise<Listening>;

export const THREAD = bundledProgram("socket-worker");

/** Functions of web objects are answered on the thread they are on. */
const listenOnWorkerIf: Listen = (handler, options = {}) => ("edgeRules" in handler ? listenOnWorker(handler, { ...options, program: THREAD }) : listen(handler, options));

/** Where sockets can be: whatever a caller does, the answers are the same. */
export const WAYS: readonly (readonly [name: string, listen: Listen, isOnThread: boolean])[] = [
  ["on the thread of the handler", listen, false],
  ["on a thread of its own", listenOnWorkerIf, true],
];
