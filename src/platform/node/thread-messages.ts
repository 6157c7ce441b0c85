import { DaybookError } from "../../core/base/errors.js";
import type { ErrorCode, ErrorDetails } from "../../core/base/errors.js";
import { isShared } from "../../http/wire/exchange.js";
import type { RequestFindings, WireReply } from "../../http/wire/exchange.js";
import type { EdgeRules, Refusal } from "../../http/overload/edge-filter.js";
import type { ListenOptions } from "./listen.js";
import { TickBatch } from "./tick-batch.js";

/** What a socket thread is started with. */
export interface ThreadData {
  readonly options: ListenOptions;
  readonly rules: EdgeRules;
}

/** An error in a form that can be sent to another thread. */
export interface ErrorMessage {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: ErrorDetails;
}

/** A request in a form that can be sent to another thread. */
export interface RequestMessage {
  readonly method: string;
  readonly target: string;
  readonly address: string | undefined;
  /** Findings of the edge filter. */
  readonly known: RequestFindings;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Sent along if it arrived with the headers and is short; null: request it. */
  readonly body: Uint8Array | null;
}

/** An answer in a form that can be sent to another thread. */
export type ThreadReply = Omit<WireReply, "body"> & { readonly body: string | Uint8Array | null };

/** From the sockets' thread to the handler's. Requests are identified by number. */
export type FromSockets =
  | { readonly kind: "listening"; readonly port: number; readonly url: string }
  /** `own`: the error's own properties, which a structured clone drops. */
  | { readonly kind: "failed"; readonly error: unknown; readonly own: object }
  | { readonly kind: "asked"; readonly id: number; readonly asked: RequestMessage }
  | { readonly kind: "body"; readonly id: number; readonly bytes: Uint8Array }
  | { readonly kind: "noBody"; readonly id: number; readonly fault: ErrorMessage }
  | { readonly kind: "gone"; readonly id: number }
  /** For a streamed body: send the next chunk, or no more. */
  | { readonly kind: "more"; readonly id: number }
  | { readonly kind: "enough"; readonly id: number }
  | { readonly kind: "refused"; readonly refusal: Refusal }
  /** An answer could not be written. */
  | { readonly kind: "unwritten"; readonly requestId: string; readonly fault: ErrorMessage }
  | { readonly kind: "closed" };

/** From the thread of the handler to that of the sockets. */
export type ToSockets =
  | { readonly kind: "read"; readonly id: number; readonly maxByteLength: number; readonly isKeyless: boolean }
  /** `stream`: the body is requested chunk by chunk. */
  | { readonly kind: "reply"; readonly id: number; readonly reply: ThreadReply; readonly stream: "endless" | "finite" | null }
  /** `isCut`: the stream failed before its end. */
  | { readonly kind: "piece"; readonly id: number; readonly piece: string | null; readonly isCut: boolean }
  /** There will be no answer. */
  | { readonly kind: "cut"; readonly id: number }
  | { readonly kind: "close" };

interface Port<Message> {
  postMessage(messages: readonly Message[], transfer: readonly ArrayBuffer[]): void;
}

/**
 * Sends messages to another thread: those of one turn of the event loop are built and sent together at its end, and byte arrays are transferred, not
 * copied.
 */
export function outbox<Message extends FromSockets | ToSockets>(port: Port<Message>): TickBatch<() => Message> {
  return new TickBatch((makers) => {
    const transfer: ArrayBuffer[] = [];
    const messages = makers.map((make) => make());
    for (const message of messages) {
      if (message.kind === "body") transfer.push(message.bytes.buffer as ArrayBuffer);
      else if (message.kind === "reply" && message.reply.body instanceof Uint8Array && !isShared(message.reply.body)) transfer.push(message.reply.body.buffer as ArrayBuffer);
    }
    port.postMessage(messages, transfer);
  });
}

/** The bytes in a buffer of their own, which can be transferred; unchanged if they have one already. */
export function givable(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : Uint8Array.from(bytes);
}

/** Converts an error to a message. Other errors than ours may quote what a caller sent, so only their name is included. */
export function faultOf(thrown: unknown): ErrorMessage {
  if (!(thrown instanceof DaybookError)) return { code: "internal", message: thrown instanceof Error ? thrown.name : typeof thrown, details: {} };
  const { code, message, details } = thrown;
  return { code, message, details };
}

export function errorOf({ code, message, details }: ErrorMessage): DaybookError {
  return new DaybookError(code, message, details);
}
