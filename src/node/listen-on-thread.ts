import type { Handler } from "../http/index.js";
import type { Listening, ListenOptions } from "./listen.js";
import { startThread } from "./start-thread.js";
import { outbox } from "./thread-messages.js";
import type { FromSockets, ThreadData, ToSockets } from "./thread-messages.js";
import { ThreadRequests } from "./thread-request.js";

/** What the thread holds of a body goes with the small objects around it: the sooner these fill a generation, the sooner it is freed. */
const YOUNG_GENERATION_MIB = 6;

const ENTRY = new URL("./socket-thread.js", import.meta.url);

/**
 * `listen` with the sockets on a thread of their own: there requests are read, and what is too much is refused, however much
 * the handler has to do.
 * @throws the system's error when the port cannot be had
 */
export function listenOnThread(handler: Handler, options: ListenOptions = {}): Promise<Listening> {
  return listenOnThreadOf(ENTRY, handler, options);
}

/** @param entry the program of the thread */
export async function listenOnThreadOf(entry: URL, handler: Handler, options: ListenOptions): Promise<Listening> {
  const workerData: ThreadData = { options, rules: handler.front };
  const worker = startThread(entry, { workerData, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MIB } });
  const out = outbox<ToSockets>(worker);
  const requests = new ThreadRequests(handler, out);
  let isListening = false;
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
      reject(error);
    });
    worker.on("exit", (code) => {
      const hasToEnd = closing !== undefined;
      onClosed();
      const error = new Error(`the thread of the sockets ended by itself, with code ${code}`);
      if (isListening && !hasToEnd) throw error;
      reject(error);
    });
  });
}
