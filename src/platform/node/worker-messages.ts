import { DaybookError, parameterError, shown, type ErrorCode, type ErrorDetails } from "../../core/base/errors.js";
import { isShared, type RequestFindings, type WireReply } from "../../http/wire/request-reply.js";
import type { EdgeRules, Refusal } from "../../http/overload/edge-filter.js";
import type { ListenOptions } from "./listen-options.js";
import { TickBatch } from "./tick-batch.js";
import { isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker, type WorkerOptions } from "node:worker_threads";

export interface WorkerStartData {
  readonly options: ListenOptions;
  readonly rules: EdgeRules;
}

export interface ErrorMessage {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: ErrorDetails;
}

export interface RequestMessage {
  readonly method: string;
  readonly target: string;
  readonly address: string | undefined;
  readonly known: RequestFindings;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Included if it arrived with the headers and is short; null: request it with `read`. */
  readonly body: Uint8Array | null;
}

export type WorkerReply = Omit<WireReply, "body"> & { readonly body: string | Uint8Array | null };

/** From the sockets' thread to the handler's. Requests are identified by number. */
export type FromSockets =
  | { readonly kind: "listening"; readonly port: number; readonly url: string }
  /** `properties`: the error's own properties, which a structured clone drops. */
  | { readonly kind: "failed"; readonly error: unknown; readonly properties: object }
  | { readonly kind: "request"; readonly id: number; readonly request: RequestMessage }
  | { readonly kind: "body"; readonly id: number; readonly bytes: Uint8Array }
  | { readonly kind: "bodyFailed"; readonly id: number; readonly fault: ErrorMessage }
  | { readonly kind: "disconnected"; readonly id: number }
  /** For a streamed body: `pull` requests the next chunk, `cancel` ends the stream. */
  | { readonly kind: "pull"; readonly id: number }
  | { readonly kind: "cancel"; readonly id: number }
  | { readonly kind: "refused"; readonly refusal: Refusal }
  | { readonly kind: "unwritten"; readonly requestId: string; readonly fault: ErrorMessage }
  | { readonly kind: "closed" };

export type ToSockets =
  | { readonly kind: "read"; readonly id: number; readonly maxByteLength: number; readonly isKeyless: boolean }
  /** `stream`: the body is requested chunk by chunk. */
  | { readonly kind: "reply"; readonly id: number; readonly reply: WorkerReply; readonly stream: "endless" | "finite" | null }
  /** `hasFailed`: the stream failed before its end. */
  | { readonly kind: "chunk"; readonly id: number; readonly chunk: string | null; readonly hasFailed: boolean }
  /** There will be no answer. */
  | { readonly kind: "abort"; readonly id: number }
  | { readonly kind: "close" };

interface Port<Message> {
  postMessage(messages: readonly Message[], transfer: readonly ArrayBuffer[]): void;
}

/** Messages of one turn of the event loop are built and sent together at its end; byte arrays are transferred, not copied. */
export function outbox<Message extends FromSockets | ToSockets>(port: Port<Message>): TickBatch<() => Message> {
  return new TickBatch((makers) => {
    const transfer: ArrayBuffer[] = [];
    const messages = makers.map((make) => make());
    for (const message of messages) {
      if (message.kind === "body") transfer.push(message.bytes.buffer as ArrayBuffer);
      else if (message.kind === "reply") {
        const { body } = message.reply;
        if (body instanceof Uint8Array && !isShared(body)) transfer.push(body.buffer as ArrayBuffer);
      }
    }
    port.postMessage(messages, transfer);
  });
}

/** The bytes in a buffer of their own, which can be transferred; unchanged if they have one already. */
export function transferable(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : Uint8Array.from(bytes);
}

/** Converts an error to a message. Only the name of foreign errors is included, because their text may quote what a caller sent. */
export function errorMessageOf(thrown: unknown): ErrorMessage {
  if (!(thrown instanceof DaybookError)) return { code: "internal", message: thrown instanceof Error ? thrown.name : typeof thrown, details: {} };
  const { code, message, details } = thrown;
  return { code, message, details };
}

export function errorOf({ code, message, details }: ErrorMessage): DaybookError {
  return new DaybookError(code, message, details);
}

/** Options of functions that start a thread. */
export interface WorkerProgramOptions {
  /**
   * The program of the thread, of `daybook/node/seal-worker` or `daybook/node/socket-worker`: a URL, or an absolute path. Default: its file in this
   * package, or beside the bundle that contains this code. `docs/guide/embedding.md` lists what each bundler needs.
   */
  readonly program?: URL | string;
}

/** URL schemes that threads can be started from. */
const SCHEMES = /^(?:file|data|blob):/;
const SHOWN_CHARS_MAX = 200;

/** Called only when the thread starts. @param fallback may throw if this code has no URL of its own @throws invalid_parameter (unusable program) */
export function programOf(program: unknown, fallback: () => URL): () => URL {
  if (program === undefined) return fallback;
  // Not `instanceof`: bundlers and test runners have their own URL classes.
  const text = typeof program === "string" ? program : (program as Partial<URL> | null)?.href;
  if (typeof text === "string" && isAbsolute(text)) return () => pathToFileURL(text);
  if (typeof text !== "string" || !SCHEMES.test(text))
    throw parameterError("invalid_parameter", "program", `expected a file: URL or an absolute path, got ${shown(program)}`);
  const url = new URL(text);
  return () => url;
}

/** A message about a thread that could not be started: the reason, its program, and the option that names another. */
export function startFailure(locate: () => URL, reason: unknown): string {
  const text = reason instanceof Error ? reason.message : String(reason);
  return `${text} (its program: ${programText(locate)}; the option "program" names another, see "Bundlers" in docs/guide/embedding.md)`;
}

function programText(locate: () => URL): string {
  try {
    return locate().href.slice(0, SHOWN_CHARS_MAX);
  } catch {
    return "none, as a bundle of this format does not know its own location";
  }
}

export function warn(text: string): void {
  process.emitWarning(text, "DaybookWarning");
}

/** A subclass, because a bundler that finds `new Worker` with an unknown file treats every file of the package as a worker, and fails. */
class Thread extends Worker {}

/**
 * Starts a thread from a file, with Node's flags. If the program came from the command line (`--input-type`, which such a thread rejects), passes the
 * flags without that one, or none at all if one of them is process-wide. `--input-type` in `NODE_OPTIONS` is still rejected.
 * @throws the system's error
 */
export function startWorker(entry: URL, options: Omit<WorkerOptions, "execArgv"> = {}): Worker {
  const flags = withoutInputType(process.execArgv);
  if (flags.length === process.execArgv.length) return new Thread(entry, options);
  try {
    return new Thread(entry, { ...options, execArgv: flags });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_WORKER_INVALID_EXEC_ARGV") throw error;
    return new Thread(entry, { ...options, execArgv: [] });
  }
}

function withoutInputType(flags: readonly string[]): string[] {
  return flags.filter((flag, at) => !flag.startsWith("--input-type") && flags[at - 1] !== "--input-type");
}
