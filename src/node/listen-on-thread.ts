import { refuseUnknown, type KnownOptions } from "../base/known-options.js";
import type { Handler } from "../http/index.js";
import { LISTEN_OPTIONS, listen } from "./listen.js";
import type { Listening, ListenOptions } from "./listen.js";
import { socketLimits } from "./socket-limits.js";
import { startThread } from "./start-thread.js";
import { outbox } from "./thread-messages.js";
import type { FromSockets, ThreadData, ToSockets } from "./thread-messages.js";
import { missingThread, programOf, warn } from "./thread-program.js";
import type { ThreadProgramOptions } from "./thread-program.js";
import { ThreadRequests } from "./thread-request.js";

/** What the thread holds of a body goes with the small objects around it: the sooner these fill a generation, the sooner it is freed. */
const YOUNG_GENERATION_MIB = 6;

/** Not when this is loaded: in some bundles there is no such URL. In these words, so that others see that the file belongs to it. */
const ownProgram = () => new URL("./socket-thread.mjs", import.meta.url);

export interface ThreadListenOptions extends ListenOptions, ThreadProgramOptions {}

const KNOWN: KnownOptions<ThreadListenOptions> = { ...LISTEN_OPTIONS, program: true };

/** There is no thread: it ended before it said whether it has its port. */
class NoThread extends Error {}

/**
 * `listen` with the sockets on a thread of their own: there requests are read, and what is too much is refused, however much
 * the handler has to do. Where that thread cannot be started it is `listen`, and a warning of the process says why.
 * @throws the system's error when the port cannot be had, invalid_parameter (a program that no thread can be started from), unknown_parameter
 */
export function listenOnThread(handler: Handler, options: ThreadListenOptions = {}): Promise<Listening> {
  return listenOnThreadOr(warn, handler, options);
}

/** @param hear hears why there is no thread */
export async function listenOnThreadOr(hear: (text: string) => void, handler: Handler, given: ThreadListenOptions): Promise<Listening> {
  refuseUnknown(given, KNOWN);
  socketLimits(given.limits);
  const { program, ...options } = given;
  const locate = programOf(program, ownProgram);
  try {
    return await listenFrom(locate, handler, options);
  } catch (error) {
    if (!(error instanceof NoThread)) throw error;
    hear(`the sockets have no thread of their own, requests are read on that of the handler: ${missingThread(locate, error)}`);
    return await listen(handler, options);
  }
}

/** @throws NoThread, and what the thread says of its port */
async function listenFrom(locate: () => URL, handler: Handler, options: ListenOptions): Promise<Listening> {
  const workerData: ThreadData = { options, rules: handler.front };
  const worker = workerOf(locate, workerData);
  const out = outbox<ToSockets>(worker);
  const requests = new ThreadRequests(handler, out);
  let isListening = false;
  let fault = "";
  let closing: Promise<void> | undefined;
  let onClosed = (): void => undefined;
  const closed = new Promise<void>((resolve) => (onClosed = resolve));
  const close = async () => {
    out.add(() => ({ kind: "close" }));
    await closed;
    await worker.terminate();
  };
  return await new Promise((resolve, reject) => {
    const hear = (message: FromSockets) => {
      if (message.kind === "listening") {
        isListening = true;
        resolve({ url: message.url, port: message.port, close: () => (closing ??= close()) });
      } else if (message.kind === "failed") reject(Object.assign(message.error as Error, message.own));
      else if (message.kind === "closed") onClosed();
      else requests.hear(message);
    };
    worker.on("message", (messages: readonly FromSockets[]) => messages.forEach(hear));
    // Without its sockets a server is of no use: what is thrown here ends the process, as any error that nobody catches.
    worker.on("error", (error) => {
      if (isListening) throw error;
      fault = error.message;
    });
    worker.on("exit", (code) => {
      const hasToEnd = closing !== undefined;
      onClosed();
      if (isListening && !hasToEnd) throw new Error(`the thread of the sockets ended by itself, with code ${code}`);
      // Not sooner: what it had of the port is free now.
      reject(new NoThread(fault === "" ? `it ended with code ${code}` : fault));
    });
  });
}

function workerOf(locate: () => URL, workerData: ThreadData) {
  try {
    return startThread(locate(), { workerData, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MIB } });
  } catch (error) {
    throw new NoThread(error instanceof Error ? error.message : String(error));
  }
}
