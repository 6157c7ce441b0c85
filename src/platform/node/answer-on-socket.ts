import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { DaybookError } from "../../core/base/errors.js";
import { isShared, isStream, type WireReply } from "../../http/wire/exchange.js";
import type { Handler } from "../../http/index.js";
import { isShort, LongAnswers, OpenStreams, UnreadAnswers } from "./streams.js";
import { placeOf, SocketRequest, writeReply, type RequestOrigin } from "./socket-exchange.js";
import type { SocketLimits } from "./listen-options.js";
import { TickBatch } from "./tick-batch.js";

/** Answers a request; null if it has already written to the socket. */
export type SocketReply = (request: SocketRequest, outgoing: ServerResponse) => Promise<WireReply | null>;

export interface SocketRequestPair {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** True: the sender waits for `100 Continue` before it sends the body. */
  readonly expectsContinue: boolean;
  /** Default: taken from the request itself. */
  readonly place?: RequestOrigin;
  /** A known error of the request. */
  readonly fault?: DaybookError | null;
  /** Called with the reason if there is no answer; nothing was written then. */
  onFailed(error: unknown): void;
}

/** Called with the reason why an answer could not be written, and the id of the request. */
export type OnUnwritten = (thrown: unknown, requestId: string) => void;

export type RequestListener = (asking: SocketRequestPair) => void;

/** Limits for answers on sockets, and what the answers of a server share. */
export interface Answering {
  readonly limits: SocketLimits;
  readonly streams: OpenStreams;
  readonly unread: UnreadAnswers;
  readonly shortAnswers: TickBatch<() => void>;
  readonly longAnswers: LongAnswers;
  /** Whether connections must end after their answers. */
  isClosing(): boolean;
}

export function answeringOf(limits: SocketLimits, isClosing: () => boolean): Answering {
  // Together: writing each at once would wake local clients, which compete for the CPU.
  const shortAnswers = new TickBatch<() => void>((waiting) => waiting.forEach((write) => write()));
  const longAnswers = new LongAnswers(limits.unreadByteLength, () => shortAnswers.flush());
  return { limits, streams: new OpenStreams(), unread: new UnreadAnswers(limits.unreadByteLength), shortAnswers, longAnswers, isClosing };
}

/**
 * Runs one request per connection at a time and writes its answer: a client that reads nothing holds at most one answer.
 */
export function answerWith(reply: SocketReply, answering: Answering, onUnwritten: OnUnwritten): RequestListener {
  const { limits, shortAnswers, longAnswers } = answering;
  const { pipelinedRequestCount } = limits;
  /** The pending requests of each connection, the running one first. */
  const lines = new WeakMap<Socket, SocketRequestPair[]>();
  const start = ({ incoming, outgoing, expectsContinue, place = placeOf(incoming), fault = null, onFailed }: SocketRequestPair, line: SocketRequestPair[]) => {
    outgoing.once("close", () => {
      line.shift();
      while (line[0] !== undefined && isAnswered(line[0].outgoing)) line.shift();
      const [next] = line;
      // A connection that has sent its last answer starts no further request.
      if (next !== undefined && incoming.socket.writable) start(next, line);
    });
    const request = new SocketRequest(incoming, outgoing, expectsContinue, place, fault);
    reply(request, outgoing).then((written) => {
      if (written === null) return;
      const write = () => writeOrCut(written, outgoing, answering, onUnwritten);
      const { body } = written;
      if (body === null || isStream(body) || isShort(body)) shortAnswers.add(write);
      else longAnswers.add({ byteLength: isShared(body) ? 0 : body.length, write });
    }, onFailed);
  };
  return (asking) => {
    const { socket } = asking.incoming;
    // Its `close` event has passed.
    if (isAnswered(asking.outgoing)) return;
    const line = lines.get(socket) ?? [];
    lines.set(socket, line);
    // A client that ignores this many refusals is disconnected.
    if (line.length >= 2 * pipelinedRequestCount) return void socket.destroy();
    const tooMany = line.length >= pipelinedRequestCount;
    const refusal = tooMany ? new DaybookError("rate_limited", `expected at most ${pipelinedRequestCount} requests at a time on one connection`) : null;
    const admitted = refusal === null ? asking : { ...asking, fault: refusal };
    if (line.push(admitted) === 1) start(admitted, line);
  };
}

/** Whether other code, such as surrounding middleware, has answered. */
function isAnswered({ closed, writableEnded }: ServerResponse): boolean {
  return closed || writableEnded;
}

export function replyOnSocket({ answer }: Handler): SocketReply {
  return async (request) => {
    request.takeBody();
    const reply = await answer(request);
    request.dropBody();
    return reply;
  };
}

/** Writes an answer; one that cannot be written ends only its own connection. @param onUnwritten must not throw */
export function writeOrCut(reply: WireReply, outgoing: ServerResponse, answering: Answering, onUnwritten: OnUnwritten): void {
  const { limits, streams, unread, longAnswers, isClosing } = answering;
  // The caller has left, or another answer came first, such as the server's own timeout.
  if (outgoing.destroyed || outgoing.writableEnded) return drop(reply);
  try {
    writeReply(reply, outgoing, { close: isClosing(), unreadMs: limits.unreadMs, unread, streams, longAnswers });
  } catch (thrown) {
    outgoing.destroy();
    drop(reply);
    onUnwritten(thrown, reply.headers["x-request-id"] ?? "");
  }
}

/** Cancels a streamed body, which no one will read. */
function drop({ body }: WireReply): void {
  if (isStream(body)) body.cancel();
}
