import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { DaybookError } from "../../core/base/errors.js";
import { isStream, type WireReply } from "../../http/wire/exchange.js";
import type { Handler } from "../../http/index.js";
import { isShort, LongAnswers, OpenStreams, UnreadAnswers } from "./streams.js";
import { originOf, SocketRequest, writeReply, type RequestOrigin } from "./socket-exchange.js";
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
  readonly origin?: RequestOrigin;
  /** An error that was found before; the request gets it as the answer. */
  readonly fault?: DaybookError | null;
  /** Called with the reason if there is no answer; nothing has been written then. */
  onFailed(error: unknown): void;
}

/** Called with the reason why an answer could not be written, and the id of the request. */
export type OnUnwritten = (thrown: unknown, requestId: string) => void;

export type RequestListener = (pair: SocketRequestPair) => void;

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
  // Batched: writing each answer at once would wake local clients, which compete for the CPU.
  const shortAnswers = new TickBatch<() => void>((waiting) => waiting.forEach((write) => write()));
  const longAnswers = new LongAnswers(() => shortAnswers.flush());
  return { limits, streams: new OpenStreams(), unread: new UnreadAnswers(limits.unreadByteLength), shortAnswers, longAnswers, isClosing };
}

/**
 * Runs one request per connection at a time and writes its answer: a client that reads nothing holds at most one answer.
 */
export function answerWith(reply: SocketReply, answering: Answering, onUnwritten: OnUnwritten): RequestListener {
  const { limits, shortAnswers, longAnswers } = answering;
  const { pipelinedRequestCount } = limits;
  /** The pending requests of each connection, the running one first. */
  const queues = new WeakMap<Socket, SocketRequestPair[]>();
  const start = (pair: SocketRequestPair, queue: SocketRequestPair[]) => {
    const { incoming, outgoing, expectsContinue, origin = originOf(incoming), fault = null, onFailed } = pair;
    outgoing.once("close", () => {
      queue.shift();
      while (queue[0] !== undefined && isAnswered(queue[0].outgoing)) queue.shift();
      const [next] = queue;
      // A connection that has sent its last answer starts no further request.
      if (next !== undefined && incoming.socket.writable) start(next, queue);
    });
    const request = new SocketRequest(incoming, outgoing, expectsContinue, origin, fault);
    reply(request, outgoing).then((wireReply) => {
      if (wireReply === null) return;
      const write = () => writeOrCut(wireReply, outgoing, answering, onUnwritten);
      const { body } = wireReply;
      if (body === null || isStream(body) || isShort(body)) shortAnswers.add(write);
      else longAnswers.add(write);
    }, onFailed);
  };
  return (pair) => {
    const { socket } = pair.incoming;
    // Its `close` event, on which `start` relies, has passed.
    if (isAnswered(pair.outgoing)) return;
    const queue = queues.get(socket) ?? [];
    queues.set(socket, queue);
    // A client that ignores this many refusals is disconnected.
    if (queue.length >= 2 * pipelinedRequestCount) return void socket.destroy();
    const isTooMany = queue.length >= pipelinedRequestCount;
    const queued = isTooMany ? { ...pair, fault: tooManyOnConnection(pipelinedRequestCount) } : pair;
    if (queue.push(queued) === 1) start(queued, queue);
  };
}

function tooManyOnConnection(countMax: number): DaybookError {
  return new DaybookError("rate_limited", `expected at most ${countMax} requests at a time on one connection`);
}

/** Whether other code, such as surrounding middleware, has answered. */
function isAnswered({ closed, writableEnded }: ServerResponse): boolean {
  return closed || writableEnded;
}

export function replyOnSocket({ answer }: Handler): SocketReply {
  return async (request) => {
    request.bufferBody();
    const reply = await answer(request);
    request.dropBody();
    return reply;
  };
}

/** Writes an answer; one that cannot be written ends only its own connection. @param onUnwritten must not throw */
export function writeOrCut(reply: WireReply, outgoing: ServerResponse, answering: Answering, onUnwritten: OnUnwritten): void {
  const { limits, streams, unread, longAnswers, isClosing } = answering;
  // The caller has left, or another answer came first, such as the server's own timeout.
  if (outgoing.destroyed || outgoing.req.socket.destroyed || outgoing.writableEnded) return cancelBody(reply);
  try {
    writeReply(reply, outgoing, { close: isClosing(), unreadMs: limits.unreadMs, unread, streams, longAnswers });
  } catch (thrown) {
    outgoing.destroy();
    cancelBody(reply);
    onUnwritten(thrown, reply.headers["x-request-id"] ?? "");
  }
}

/** Cancels a streamed body that nobody will read. */
function cancelBody({ body }: WireReply): void {
  if (isStream(body)) body.cancel();
}
