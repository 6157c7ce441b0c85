import { DaybookError } from "../base/errors.js";
import type { ErrorCode, ErrorDetails } from "../base/errors.js";
import { isShared } from "../http/wire/exchange.js";
import type { RequestFindings, WireReply } from "../http/wire/exchange.js";
import type { FrontRules, Refusal } from "../http/overload/front.js";
import type { ListenOptions } from "./listen.js";
import { TurnBatch } from "./turn-batch.js";

/** What a thread of sockets is started with. */
export interface ThreadData {
  readonly options: ListenOptions;
  readonly rules: FrontRules;
}

/** An error as another thread can have it. */
export interface ErrorMessage {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: ErrorDetails;
}

/** A request. */
export interface RequestMessage {
  readonly method: string;
  readonly target: string;
  readonly address: string | undefined;
  /** What the front found out about it. */
  readonly known: RequestFindings;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Where it came with the headers and is short; null: it is to be asked for. */
  readonly body: Uint8Array | null;
}

/** An answer as another thread can have it. */
export type ThreadReply = Omit<WireReply, "body"> & { readonly body: string | Uint8Array | null };

/** From the thread of the sockets to that of the handler. Requests are known by a number. */
export type FromSockets =
  | { readonly kind: "listening"; readonly port: number; readonly url: string }
  /** `own`: what the error has beside what is copied of every error. */
  | { readonly kind: "failed"; readonly error: unknown; readonly own: object }
  | { readonly kind: "asked"; readonly id: number; readonly asked: RequestMessage }
  | { readonly kind: "body"; readonly id: number; readonly bytes: Uint8Array }
  | { readonly kind: "noBody"; readonly id: number; readonly fault: ErrorMessage }
  | { readonly kind: "gone"; readonly id: number }
  /** A body that is made as time goes on: the next piece is wanted, or none. */
  | { readonly kind: "more"; readonly id: number }
  | { readonly kind: "enough"; readonly id: number }
  | { readonly kind: "refused"; readonly refusal: Refusal }
  /** An answer could not be written. */
  | { readonly kind: "unwritten"; readonly requestId: string; readonly fault: ErrorMessage }
  | { readonly kind: "closed" };

/** From the thread of the handler to that of the sockets. */
export type ToSockets =
  | { readonly kind: "read"; readonly id: number; readonly maxByteLength: number; readonly isKeyless: boolean }
  /** `stream`: its body is asked for piece by piece. */
  | { readonly kind: "reply"; readonly id: number; readonly reply: ThreadReply; readonly stream: "endless" | "finite" | null }
  /** `isCut`: there is no end, for it failed. */
  | { readonly kind: "piece"; readonly id: number; readonly piece: string | null; readonly isCut: boolean }
  /** There will be no answer. */
  | { readonly kind: "cut"; readonly id: number }
  | { readonly kind: "close" };

/** Either end of the way between two threads. */
interface Port<Message> {
  postMessage(messages: readonly Message[], transfer: readonly ArrayBuffer[]): void;
}

/**
 * The way from here to another thread: messages of one turn of the event loop are made and go together at its end, and long
 * bytes are given away, not copied.
 */
export function outbox<Message extends FromSockets | ToSockets>(port: Port<Message>): TurnBatch<() => Message> {
  return new TurnBatch((makers) => {
    const transfer: ArrayBuffer[] = [];
    const messages = makers.map((make) => make());
    for (const message of messages) {
      if (message.kind === "body") transfer.push(message.bytes.buffer as ArrayBuffer);
      else if (message.kind === "reply" && message.reply.body instanceof Uint8Array && !isShared(message.reply.body)) transfer.push(message.reply.body.buffer as ArrayBuffer);
    }
    port.postMessage(messages, transfer);
  });
}

/** The same bytes in memory of their own, which can be given away; as they are where they have it already. */
export function givable(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : Uint8Array.from(bytes);
}

/** Messages of errors that are not ours may quote what a caller sent: of these only the name is told. */
export function faultOf(thrown: unknown): ErrorMessage {
  if (!(thrown instanceof DaybookError)) return { code: "internal", message: thrown instanceof Error ? thrown.name : typeof thrown, details: {} };
  const { code, message, details } = thrown;
  return { code, message, details };
}

export function errorOf({ code, message, details }: ErrorMessage): DaybookError {
  return new DaybookError(code, message, details);
}
