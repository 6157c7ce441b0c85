import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import { requestIdOf, type WireReply, type WireRequest } from "../wire/request-reply.js";

interface LastAnswer {
  readonly reply: WireReply;
  readonly atMs: number;
}

/** Answers a request on the handler's thread. */
type Forward = () => Promise<WireReply>;

/**
 * Answers public requests promptly on another thread than the handler's: while the handler is late, its last answer is repeated if it is recent.
 * At most one request of a path is in the handler, so that many of them do not queue there.
 */
export class PromptAnswers {
  readonly #lastByPath = new Map<string, LastAnswer>();
  readonly #pendingByPath = new Map<string, Promise<WireReply>>();

  /** @param path the path of the route, which the answer depends on alone */
  async answer(request: WireRequest, path: string, forward: Forward): Promise<WireReply> {
    const { reply, isOwn } = await this.#replyOf(path, forward);
    if (isOwn) return reply;
    return { ...reply, headers: { ...reply.headers, "x-request-id": requestIdOf(request, () => globalThis.crypto.randomUUID()) } };
  }

  /** `isOwn`: the handler has answered this very request. */
  async #replyOf(path: string, forward: Forward): Promise<{ readonly reply: WireReply; readonly isOwn: boolean }> {
    const earlier = this.#pendingByPath.get(path);
    const pending = earlier ?? this.#start(path, forward);
    const last = this.#lastByPath.get(path);
    const isRecent = last !== undefined && performance.now() - last.atMs <= SERVER_LIMITS.repeatedAnswerMs;
    try {
      const reply = isRecent ? await orAfter(pending, SERVER_LIMITS.promptAnswerMs, last.reply) : await pending;
      return { reply, isOwn: earlier === undefined && reply !== last?.reply };
    } catch (error) {
      if (earlier === undefined) throw error;
      // The caller of the earlier request may have disconnected.
      return { reply: await forward(), isOwn: true };
    }
  }

  #start(path: string, forward: Forward): Promise<WireReply> {
    const pending = forward()
      .then((reply) => {
        this.#lastByPath.set(path, { reply, atMs: performance.now() });
        return reply;
      })
      .finally(() => this.#pendingByPath.delete(path));
    this.#pendingByPath.set(path, pending);
    return pending;
  }
}

/** The result of a promise, or a substitute if it takes longer. */
function orAfter<T>(promise: Promise<T>, ms: number, substitute: T): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms, substitute);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
