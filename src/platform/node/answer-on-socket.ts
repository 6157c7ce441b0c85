import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { DaybookError } from "../../core/base/errors.js";
import { isStream, type WireReply } from "../../http/wire/exchange.js";
import type { Handler } from "../../http/index.js";
import { UnreadAnswers, type OpenStreams } from "./streams.js";
import { placeOf, SocketRequest, writeReply, type RequestOrigin, type AnswerOptions } from "./socket-exchange.js";
import type { SocketLimits } from "./listen-options.js";
import { TickBatch } from "./tick-batch.js";

/** Longer answers wait while shorter ones are written, in bytes. */
const SHORT_ANSWER_BYTES_MAX = 64 * 1024;

/** Bytes of long answers written per turn of the event loop: the kernel copies them within a few ms, even on a busy machine. */
const LONG_ANSWER_BYTES_PER_TURN = 1024 * 1024;

interface LongAnswer {
  readonly byteLength: number;
  write(): void;
}

/** Writes long answers a few per turn, in their order, so that a thousand of them at once delay no other request. */
export class LongAnswers {
  /** The first one stays here while it is written. */
  readonly #waiting: LongAnswer[] = [];

  add(answer: LongAnswer): void {
    if (this.#waiting.push(answer) === 1) setImmediate(() => this.#writeSome());
  }

  #writeSome(): void {
    let byteLength = 0;
    for (let answer = this.#waiting[0]; answer !== undefined && byteLength < LONG_ANSWER_BYTES_PER_TURN; answer = this.#waiting[0]) {
      byteLength += answer.byteLength;
      answer.write();
      this.#waiting.shift();
    }
    if (this.#waiting.length > 0) setImmediate(() => this.#writeSome());
  }
}

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

/** Limits for answers on sockets, and the set of open streams. */
export interface Answering {
  readonly limits: SocketLimits;
  readonly streams: OpenStreams;
  /** Whether connections must end after their answers. */
  isClosing(): boolean;
}

/**
 * Writes the replies to requests, and runs one request per connection at a time: a client that does not read is answered once.
 */
export function answerWith(reply: SocketReply, { limits, streams, isClosing }: Answering, onUnwritten: OnUnwritten): RequestListener {
  const { pipelinedRequestCount, unreadMs, unreadByteLength } = limits;
  // Together: writing each at once would wake local clients, which compete for the CPU.
  const shortAnswers = new TickBatch<() => void>((waiting) => waiting.forEach((write) => write()));
  const longAnswers = new LongAnswers();
  const unread = new UnreadAnswers(unreadByteLength);
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
      const write = () => writeOrCut(written, outgoing, { close: isClosing(), unreadMs, unread, streams }, onUnwritten);
      const byteLength = isStream(written.body) ? 0 : (written.body?.length ?? 0);
      if (byteLength > SHORT_ANSWER_BYTES_MAX) longAnswers.add({ byteLength, write });
      else shortAnswers.add(write);
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
export function writeOrCut(reply: WireReply, outgoing: ServerResponse, options: AnswerOptions, onUnwritten: OnUnwritten): void {
  // Another answer came first, such as the server's own timeout.
  if (outgoing.writableEnded) return drop(reply);
  try {
    writeReply(reply, outgoing, options);
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
