import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { DaybookError } from "../base/errors.js";
import { isStream } from "../http/wire/exchange.js";
import type { WireReply } from "../http/wire/exchange.js";
import type { Handler } from "../http/index.js";
import type { OpenStreams } from "./open-streams.js";
import { placeOf, SocketRequest, writeReply } from "./socket-exchange.js";
import type { RequestPlace, AnswerOptions } from "./socket-exchange.js";
import type { SocketLimits } from "./socket-limits.js";
import { TurnBatch } from "./turn-batch.js";
import { UnreadAnswers } from "./unread-answers.js";

/** Makes the answer to a request; null: it is on the socket already. */
export type SocketReply = (request: SocketRequest, outgoing: ServerResponse) => Promise<WireReply | null>;

export interface SocketRequestPair {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** True: the sender waits for a word before it sends the body. */
  readonly expectsContinue: boolean;
  /** Default: what the request itself says. */
  readonly place?: RequestPlace;
  /** What is wrong with the request already. */
  readonly fault?: DaybookError | null;
  /** Hears why there is no answer; nothing was written then. */
  onFailed(error: unknown): void;
}

/** Hears why an answer could not be written, and of which request. */
export type OnUnwritten = (thrown: unknown, requestId: string) => void;

export type RequestListener = (asking: SocketRequestPair) => void;

/** What answers on sockets are held to, and where those go that take time. */
export interface Answering {
  readonly limits: SocketLimits;
  readonly streams: OpenStreams;
  /** Whether connections are to end after their answers. */
  isClosing(): boolean;
}

/** Writes what `reply` makes of each request. Of one connection each waits until the answer before it is on its way: whoever reads none gets one. */
export function answerWith(reply: SocketReply, { limits, streams, isClosing }: Answering, onUnwritten: OnUnwritten): RequestListener {
  const { pipelinedRequestCount, unreadMs, unreadByteLength } = limits;
  // Callers on the same machine that are woken one by one take the processor away from the answers that are still to be made.
  const writes = new TurnBatch<() => void>((waiting) => waiting.forEach((write) => write()));
  const unread = new UnreadAnswers(unreadByteLength);
  /** Of each connection that waits for answers the requests, the one that is worked on first. */
  const lines = new WeakMap<Socket, SocketRequestPair[]>();
  const start = ({ incoming, outgoing, expectsContinue, place = placeOf(incoming), fault = null, onFailed }: SocketRequestPair, line: SocketRequestPair[]) => {
    outgoing.once("close", () => {
      line.shift();
      while (line[0] !== undefined && isAnswered(line[0].outgoing)) line.shift();
      const [next] = line;
      // Behind the last answer of a connection nothing is worked on.
      if (next !== undefined && incoming.socket.writable) start(next, line);
    });
    const request = new SocketRequest(incoming, outgoing, expectsContinue, place, fault);
    reply(request, outgoing).then((written) => {
      if (written !== null) writes.add(() => writeOrCut(written, outgoing, { close: isClosing(), unreadMs, unread, streams }, onUnwritten));
    }, onFailed);
  };
  return (asking) => {
    const { socket } = asking.incoming;
    // Its end would not be heard of.
    if (isAnswered(asking.outgoing)) return;
    const line = lines.get(socket) ?? [];
    lines.set(socket, line);
    // Who goes on after as many refusals reads no answers.
    if (line.length >= 2 * pipelinedRequestCount) return void socket.destroy();
    const tooMany = line.length >= pipelinedRequestCount;
    const refusal = tooMany ? new DaybookError("rate_limited", `expected at most ${pipelinedRequestCount} requests of one connection at a time`) : null;
    const admitted = refusal === null ? asking : { ...asking, fault: refusal };
    if (line.push(admitted) === 1) start(admitted, line);
  };
}

/** Whether somebody else has answered, as middleware around us may. */
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

/** An answer that cannot be written ends its own connection, and no other. @param onUnwritten must not throw */
export function writeOrCut(reply: WireReply, outgoing: ServerResponse, options: AnswerOptions, onUnwritten: OnUnwritten): void {
  // Somebody else's word was quicker: a time limit of the server around us.
  if (outgoing.writableEnded) return drop(reply);
  try {
    writeReply(reply, outgoing, options);
  } catch (thrown) {
    outgoing.destroy();
    drop(reply);
    onUnwritten(thrown, reply.headers["x-request-id"] ?? "");
  }
}

/** Nobody will read a body that is made as time goes on. */
function drop({ body }: WireReply): void {
  if (isStream(body)) body.cancel();
}
