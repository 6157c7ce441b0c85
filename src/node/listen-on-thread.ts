import { refuseUnknown, type KnownOptions } from "../base/known-options.js";
import type { Handler } from "../http/index.js";
import type { DaybookError } from "../base/errors.js";
import { bodyTooLarge, isShared, isStream, type RequestFindings, type WireRequest } from "../http/wire/exchange.js";
import type { Refusal } from "../http/overload/front.js";
import { LISTEN_OPTIONS, listen, type Listening, type ListenOptions } from "./listen.js";
import { socketLimits } from "./socket-limits.js";
import { startThread } from "./start-thread.js";
import { outbox, type FromSockets, type ThreadData, type ToSockets, errorOf, type RequestMessage } from "./thread-messages.js";
import { missingThread, programOf, warn, type ThreadProgramOptions } from "./thread-program.js";
import { OwnStreams } from "./thread-stream.js";
import type { TurnBatch } from "./turn-batch.js";

/** A body that somebody waits for. */
interface AwaitedBody {
  take(bytes: Uint8Array): void;
  fail(error: unknown): void;
}

/** A request whose socket is on another thread. */
class ThreadRequest implements WireRequest {
  readonly method: string;
  readonly target: string;
  readonly address: string | undefined;
  readonly known: RequestFindings;
  readonly signal = { aborted: false };
  readonly #headers: Readonly<Record<string, string>>;
  readonly #body: Uint8Array | null;
  #reading: AwaitedBody | null = null;

  constructor(
    readonly id: number,
    { method, target, address, known, headers, body }: RequestMessage,
    readonly out: TurnBatch<() => ToSockets>,
  ) {
    this.method = method;
    this.target = target;
    this.address = address;
    this.known = known;
    this.#headers = headers;
    this.#body = body;
  }

  header(name: string): string | null {
    return Object.hasOwn(this.#headers, name) ? (this.#headers[name] ?? null) : null;
  }

  async readBody(maxByteLength: number, onBytes: (byteLength: number) => void = () => undefined, isKeyless = false): Promise<Uint8Array> {
    const body = this.#body;
    if (body !== null) {
      if (body.length > maxByteLength) throw bodyTooLarge(maxByteLength);
      onBytes(body.length);
      return body;
    }
    this.out.add(() => ({ kind: "read", id: this.id, maxByteLength, isKeyless }));
    return await new Promise((resolve, reject) => {
      const take = (bytes: Uint8Array) => {
        onBytes(bytes.length);
        resolve(bytes);
      };
      this.#reading = { take, fail: reject };
    });
  }

  bodyCame(bytes: Uint8Array): void {
    try {
      this.#reading?.take(bytes);
    } catch (error) {
      this.#reading?.fail(error);
    }
  }

  bodyFailed(error: DaybookError): void {
    this.#reading?.fail(error);
  }

  callerLeft(): void {
    this.signal.aborted = true;
  }
}

/** The requests of a thread of sockets that a handler has not answered yet. */
class ThreadRequests {
  readonly #byId = new Map<number, ThreadRequest>();
  readonly #streams: OwnStreams;

  constructor(
    readonly handler: Handler,
    readonly out: TurnBatch<() => ToSockets>,
  ) {
    this.#streams = new OwnStreams(out);
  }

  hear(message: FromSockets): void {
    if (message.kind === "asked") void this.#answer(new ThreadRequest(message.id, message.asked, this.out));
    else if (message.kind === "body") this.#byId.get(message.id)?.bodyCame(message.bytes);
    else if (message.kind === "noBody") this.#byId.get(message.id)?.bodyFailed(errorOf(message.fault));
    else if (message.kind === "gone") this.#byId.get(message.id)?.callerLeft();
    else if (message.kind === "more") this.#streams.more(message.id);
    else if (message.kind === "enough") this.#streams.enough(message.id);
    else if (message.kind === "refused") this.#note(message.refusal);
    else if (message.kind === "unwritten") this.handler.noteDefect(errorOf(message.fault), message.requestId);
  }

  #note(refusal: Refusal): void {
    try {
      this.handler.noteRefused(refusal);
    } catch {
      // It is answered: what a listener of answers throws has no request left to cut off.
    }
  }

  async #answer(request: ThreadRequest): Promise<void> {
    const { id } = request;
    this.#byId.set(id, request);
    try {
      const { status, headers, body } = await this.handler.answer(request);
      if (isStream(body)) {
        this.#streams.open(id, body);
        return this.out.add(() => ({ kind: "reply", id, reply: { status, headers, body: null }, stream: body.isFinite === true ? "finite" : "endless" }));
      }
      // A copy: what is given away is gone, and the handler may still need it.
      this.out.add(() => ({ kind: "reply", id, reply: { status, headers, body: body instanceof Uint8Array && !isShared(body) ? Uint8Array.from(body) : body }, stream: null }));
    } catch {
      this.out.add(() => ({ kind: "cut", id }));
    } finally {
      this.#byId.delete(id);
    }
  }
}

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
