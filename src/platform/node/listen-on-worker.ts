import { rejectUnknownOptions, type KnownOptions } from "../../core/base/options.js";
import type { Handler } from "../../http/index.js";
import type { DaybookError } from "../../core/base/errors.js";
import { bodyTooLarge, isShared, isStream, type RequestFindings, type WireRequest } from "../../http/wire/request-reply.js";
import type { Refusal } from "../../http/overload/edge-filter.js";
import { listen } from "./listen.js";
import { LISTEN_OPTIONS, socketLimits, type Listening, type ListenOptions } from "./listen-options.js";
import {
  startWorker, outbox, errorOf, startFailure, programOf, warn, type FromSockets, type WorkerStartData, type ToSockets, type RequestMessage,
  type WorkerProgramOptions,
} from "./worker-messages.js";
import { OwnStreams } from "./streams.js";
import type { TickBatch } from "./tick-batch.js";

interface PendingBody {
  resolve(bytes: Uint8Array): void;
  reject(error: unknown): void;
}

class WorkerRequest implements WireRequest {
  readonly method: string;
  readonly target: string;
  readonly address: string | undefined;
  readonly known: RequestFindings;
  readonly signal = { aborted: false };
  readonly #headers: Readonly<Record<string, string>>;
  readonly #body: Uint8Array | null;
  #pendingBody: PendingBody | null = null;

  constructor(
    readonly id: number,
    { method, target, address, known, headers, body }: RequestMessage,
    readonly out: TickBatch<() => ToSockets>,
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
      const check = (bytes: Uint8Array) => {
        onBytes(bytes.length);
        resolve(bytes);
      };
      this.#pendingBody = { resolve: check, reject };
    });
  }

  resolveBody(bytes: Uint8Array): void {
    try {
      this.#pendingBody?.resolve(bytes);
    } catch (error) {
      this.#pendingBody?.reject(error);
    }
  }

  rejectBody(error: DaybookError): void {
    this.#pendingBody?.reject(error);
  }

  abort(): void {
    this.signal.aborted = true;
  }
}

class WorkerRequests {
  readonly #byId = new Map<number, WorkerRequest>();
  readonly #streams: OwnStreams;

  constructor(
    readonly handler: Handler,
    readonly out: TickBatch<() => ToSockets>,
  ) {
    this.#streams = new OwnStreams(out);
  }

  onMessage(message: FromSockets): void {
    if (message.kind === "request") void this.#answer(new WorkerRequest(message.id, message.request, this.out));
    else if (message.kind === "body") this.#byId.get(message.id)?.resolveBody(message.bytes);
    else if (message.kind === "bodyFailed") this.#byId.get(message.id)?.rejectBody(errorOf(message.fault));
    else if (message.kind === "disconnected") this.#byId.get(message.id)?.abort();
    else if (message.kind === "pull") this.#streams.pull(message.id);
    else if (message.kind === "cancel") this.#streams.cancel(message.id);
    else if (message.kind === "refused") this.#note(message.refusal);
    else if (message.kind === "unwritten") this.handler.noteDefect(errorOf(message.fault), message.requestId);
  }

  #note(refusal: Refusal): void {
    try {
      this.handler.noteRefused(refusal);
    } catch {
      // The request is already answered, so an error of a listener cannot fail it.
    }
  }

  async #answer(request: WorkerRequest): Promise<void> {
    const { id } = request;
    this.#byId.set(id, request);
    try {
      const { status, headers, body } = await this.handler.answer(request);
      if (isStream(body)) {
        this.#streams.open(id, body);
        const stream = body.isFinite === true ? "finite" : "endless";
        return this.out.add(() => ({ kind: "reply", id, reply: { status, headers, body: null }, stream }));
      }
      // A copy, because a transfer detaches the bytes, and the handler may still need them.
      const copyOf = () => (body instanceof Uint8Array && !isShared(body) ? Uint8Array.from(body) : body);
      this.out.add(() => ({ kind: "reply", id, reply: { status, headers, body: copyOf() }, stream: null }));
    } catch {
      this.out.add(() => ({ kind: "abort", id }));
    } finally {
      this.#byId.delete(id);
    }
  }
}

/** Body buffers are freed when a minor GC collects the objects that refer to them: a small young generation makes these frequent. */
const YOUNG_GENERATION_MIB = 6;

/** Lazy, because some bundles have no such URL. Written literally, so that bundlers include the file. */
const ownProgram = () => new URL("./socket-worker.mjs", import.meta.url);

export interface WorkerListenOptions extends ListenOptions, WorkerProgramOptions {}

const KNOWN: KnownOptions<WorkerListenOptions> = { ...LISTEN_OPTIONS, program: true };

/** The thread ended before it reported whether it has its port. */
class WorkerStartError extends Error {}

/**
 * `listen` with the sockets on a separate thread, which reads requests and refuses excess ones even while the handler is busy. If the thread cannot
 * be started, it falls back to `listen` and emits a process warning with the reason.
 * @throws the system's error if the port is unavailable, invalid_parameter (a program that no thread can be started from), unknown_parameter
 */
export function listenOnWorker(handler: Handler, options: WorkerListenOptions = {}): Promise<Listening> {
  return listenOnWorkerOr(warn, handler, options);
}

/** @param onFallback called with the reason if the thread cannot be started */
export async function listenOnWorkerOr(onFallback: (text: string) => void, handler: Handler, allOptions: WorkerListenOptions): Promise<Listening> {
  rejectUnknownOptions(allOptions, KNOWN);
  socketLimits(allOptions.limits);
  const { program, ...options } = allOptions;
  const locate = programOf(program, ownProgram);
  try {
    return await listenFrom(locate, handler, options);
  } catch (error) {
    if (!(error instanceof WorkerStartError)) throw error;
    onFallback(`the socket worker did not start, so requests are read on the thread of the handler: ${startFailure(locate, error)}`);
    return await listen(handler, options);
  }
}

/** @throws WorkerStartError, and the thread's error if the port is unavailable */
async function listenFrom(locate: () => URL, handler: Handler, options: ListenOptions): Promise<Listening> {
  const workerData: WorkerStartData = { options, rules: handler.edgeRules };
  const worker = workerOf(locate, workerData);
  const out = outbox<ToSockets>(worker);
  const requests = new WorkerRequests(handler, out);
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
    const onMessage = (message: FromSockets) => {
      if (message.kind === "listening") {
        isListening = true;
        resolve({ url: message.url, port: message.port, close: () => (closing ??= close()) });
      } else if (message.kind === "failed") reject(Object.assign(message.error as Error, message.properties));
      else if (message.kind === "closed") onClosed();
      else requests.onMessage(message);
    };
    worker.on("message", (messages: readonly FromSockets[]) => messages.forEach(onMessage));
    // A server without its sockets is useless: an error here ends the process, like any uncaught error.
    worker.on("error", (error) => {
      if (isListening) throw error;
      fault = error.message;
    });
    worker.on("exit", (code) => {
      const isClosing = closing !== undefined;
      onClosed();
      if (isListening && !isClosing) throw new Error(`the socket worker ended unexpectedly, with code ${code}`);
      // The thread has released its port only now.
      reject(new WorkerStartError(fault === "" ? `it ended with code ${code}` : fault));
    });
  });
}

function workerOf(locate: () => URL, workerData: WorkerStartData) {
  try {
    return startWorker(locate(), { workerData, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MIB } });
  } catch (error) {
    throw new WorkerStartError(error instanceof Error ? error.message : String(error));
  }
}
